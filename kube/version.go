package kube

import "encoding/json"

// versionIn reads gitVersion from the answer of /version, whatever it looks
// like: builds without a stamp say v0.0.0-master+$Format:%H$.
func versionIn(raw []byte) string {
	var info struct {
		GitVersion string `json:"gitVersion"`
	}
	if json.Unmarshal(raw, &info) != nil {
		return ""
	}
	return cleanText(info.GitVersion)
}
