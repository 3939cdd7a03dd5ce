// Package strictyaml knows how a YAML file of the operator is read so that each mistake is
// told with its file and line: one document, no key twice, nothing unknown. It must not
// know what the keys mean. Start at Document and Reader.
package strictyaml
