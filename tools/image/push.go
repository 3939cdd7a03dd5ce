package main

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// push sends an OCI layout to a registry, with the credentials of `docker login`.
func push(folder, reference string) error {
	to, err := name.NewTag(reference, name.StrictValidation)
	if err != nil {
		return err
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	if err := remote.WriteIndex(to, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return fmt.Errorf("push %s: %w", to, err)
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("pushed %s@%s\n", to, digest)
	return nil
}
