package drain

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// setFlag notes a flag under the name that it has in the JSON of options.
func setFlag(fields map[string]any, flag string, vals []string) {
	var name strings.Builder
	for i, word := range strings.Split(flag, "-") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		name.WriteString(word)
	}
	key, value := name.String(), strings.Join(vals, ",")
	switch key {
	case "ignoreDaemonsets":
		key = "ignoreDaemonSets"
	case "deleteEmptydirData":
		key = "deleteEmptyDirData"
	case "gracePeriod":
		key = "gracePeriodSeconds"
	}
	var number json.Number
	if d, err := time.ParseDuration(value); err == nil && value != "0" && !strings.HasSuffix(key, "Seconds") {
		fields[strings.Replace(key, "Lb", "LB", 1)+"Seconds"] = d.Seconds()
	} else if json.Unmarshal([]byte(value), &number) == nil && key != "guard" {
		fields[key] = number
	} else if key == "takeOver" || key == "honor" {
		fields[key] = vals
	} else if value == "" {
		fields[key] = true
	} else {
		fields[key] = value
	}
}

// optionsFrom are the default options with the fields put into their JSON.
func optionsFrom(fields map[string]any) (o Options, err error) {
	text, err := json.Marshal(DefaultOptions())
	if err != nil {
		return o, err
	}
	all := map[string]any{}
	if err := json.Unmarshal(text, &all); err != nil {
		return o, err
	}
	for name, value := range fields {
		all[name] = value
	}
	if text, err = json.Marshal(all); err != nil {
		return o, err
	}
	err = json.Unmarshal(text, &o)
	back, _ := json.Marshal(o)
	known := map[string]any{}
	_ = json.Unmarshal(back, &known)
	for name := range fields {
		if _, ok := known[name]; err == nil && !ok {
			err = fmt.Errorf("no such option: %s", name)
		}
	}
	return o, err
}
