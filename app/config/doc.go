// Package config knows what an operator has set for every start of the program: the file
// config.yaml and the variables KDRAIN_*, each setting named as the flag that it is the
// default of. It must not know what a flag does, nor who asks for it. Start at Load.
package config
