package print

// ColorsOf says what the environment wants of colours: whether a terminal may have them,
// and whether a pipe must. NO_COLOR (no-color.org) counts before CLICOLOR_FORCE and
// FORCE_COLOR (bixense.com/clicolors), these before CLICOLOR=0 and TERM=dumb.
func ColorsOf(getenv func(string) string) (may, must bool) {
	switch kind := getenv("TERM"); {
	case getenv("NO_COLOR") != "":
		return false, false
	case isOn(getenv("CLICOLOR_FORCE")), isOn(getenv("FORCE_COLOR")):
		return true, true
	case getenv("CLICOLOR") == "0", kind == "", kind == "dumb":
		return false, false
	}
	return true, false
}

func isOn(value string) bool { return value != "" && value != "0" && value != "false" }
