package convert

import "reflect"

import (
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// makeVisible makes every string that a value holds visible, in place. What is
// clean is only read: records share parts.
func makeVisible(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if text := kube.Visible(v.String()); text != v.String() && v.CanSet() {
			v.SetString(text)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			makeVisible(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			makeVisible(v.Index(i))
		}
	case reflect.Map:
		makeMapVisible(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				makeVisible(v.Field(i))
			}
		}
	}
}

func makeMapVisible(m reflect.Value) {
	for _, key := range m.MapKeys() {
		value := m.MapIndex(key)
		newKey, newValue := reflect.New(key.Type()).Elem(), reflect.New(value.Type()).Elem()
		newKey.Set(key)
		newValue.Set(value)
		makeVisible(newKey)
		makeVisible(newValue)
		if !newKey.Equal(key) || value.Kind() == reflect.String && !newValue.Equal(value) {
			m.SetMapIndex(key, reflect.Value{})
			m.SetMapIndex(newKey, newValue)
		}
	}
}
