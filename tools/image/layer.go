package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// What the image has beside the certificates of public authorities, where Go looks for them.
const (
	programPath  = "/usr/bin/kdrain-tui"
	home         = "/home/nonroot"
	certificates = "/etc/ssl/certs/ca-certificates.crt"
	user         = 65532 // as in deploy/job.yaml
)

// rootLayer is the whole root filesystem.
func rootLayer(program string, made time.Time) (v1.Layer, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	packed, err := pack(made, []tar.Header{
		{Name: "etc/", Mode: 0o755},
		{Name: "etc/ssl/", Mode: 0o755},
		{Name: "etc/ssl/certs/", Mode: 0o755},
		{Name: certificates[1:], Mode: 0o644},
		{Name: "home/", Mode: 0o755},
		{Name: home[1:] + "/", Mode: 0o700, Uid: user, Gid: user},
		{Name: "usr/", Mode: 0o755},
		{Name: "usr/bin/", Mode: 0o755},
		{Name: programPath[1:], Mode: 0o755},
	}, map[string][]byte{certificates[1:]: authorities(), programPath[1:]: content})
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed)), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// pack writes the files in their order, all with one time.
func pack(made time.Time, headers []tar.Header, contents map[string][]byte) ([]byte, error) {
	var packed bytes.Buffer
	writer := tar.NewWriter(&packed)
	for _, header := range headers {
		header.Typeflag, header.ModTime, header.Format = tar.TypeDir, made, tar.FormatUSTAR
		content, isFile := contents[header.Name]
		if isFile {
			header.Typeflag, header.Size = tar.TypeReg, int64(len(content))
		}
		if err := writer.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(content); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil { // which writes the end
		return nil, err
	}
	return packed.Bytes(), nil
}

// authorities are the public ones of Mozilla's list without constraints, which a file
// cannot express.
func authorities() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return text.Bytes()
}
