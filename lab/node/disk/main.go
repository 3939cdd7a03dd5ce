// Disk is a CSI driver whose disks are folders below DIR: DIR/ID/data is what is on the disk, DIR/ID/node names
// the node that it is attached to. It has the part of a node only; who attaches and detaches writes that file
// (`lab attacher`).
//
//	disk DIR
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// name is the name of the driver in CSIDriver and PersistentVolume objects.
const name = "disk.lab.kdrain-tui.dev"

// Where the kubelet looks for plugins, and where it finds this one.
const (
	socket             = "/var/lib/kubelet/plugins/" + name + "/csi.sock"
	registrationSocket = "/var/lib/kubelet/plugins_registry/" + name + ".sock"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: disk DIR")
	}
	node, err := os.Hostname()
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, &driver{dir: os.Args[1], node: node}); err != nil {
		log.Fatal(err)
	}
}

// serve answers the kubelet until the context ends.
func serve(ctx context.Context, d *driver) error {
	volumes := grpc.NewServer(grpc.UnaryInterceptor(logged))
	csi.RegisterIdentityServer(volumes, d)
	csi.RegisterNodeServer(volumes, d)
	plugin := grpc.NewServer()
	registration.RegisterRegistrationServer(plugin, registrar{})
	group, ctx := errgroup.WithContext(ctx)
	for path, server := range map[string]*grpc.Server{socket: volumes, registrationSocket: plugin} {
		listener, err := listen(path)
		if err != nil {
			return err
		}
		group.Go(func() error { return server.Serve(listener) })
		group.Go(func() error {
			<-ctx.Done()
			server.Stop()
			return nil
		})
	}
	return group.Wait()
}

func listen(path string) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create the folder of a socket: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove an old socket: %w", err)
	}
	return net.Listen("unix", path)
}

// logged is for the journal of the node.
func logged(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	answer, err := handle(ctx, request)
	if strings.Contains(info.FullMethod, "Volume") {
		log.Println(info.FullMethod, request, err)
	}
	return answer, err
}

// registrar tells the kubelet of the driver.
type registrar struct {
	registration.UnimplementedRegistrationServer
}

func (registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{Type: registration.CSIPlugin, Name: name, Endpoint: socket,
		SupportedVersions: []string{"1.0.0"}}, nil
}

func (registrar) NotifyRegistrationStatus(_ context.Context, s *registration.RegistrationStatus) (
	*registration.RegistrationStatusResponse, error) {
	if !s.PluginRegistered {
		log.Println("the kubelet does not take the driver:", s.Error)
	}
	return &registration.RegistrationStatusResponse{}, nil
}

// driver mounts and unmounts disks on one node.
type driver struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedNodeServer
	dir, node string
}

func (d *driver) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: name, VendorVersion: "1"}, nil
}

func (d *driver) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (
	*csi.GetPluginCapabilitiesResponse, error) {
	return &csi.GetPluginCapabilitiesResponse{}, nil
}

func (d *driver) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(true)}, nil
}

func (d *driver) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: d.node}, nil
}

func (d *driver) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (
	*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{Capabilities: []*csi.NodeServiceCapability{{
		Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{
			Type: csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME}}}}}, nil
}

func (d *driver) NodeStageVolume(_ context.Context, r *csi.NodeStageVolumeRequest) (
	*csi.NodeStageVolumeResponse, error) {
	disk := filepath.Join(d.dir, filepath.Base(r.VolumeId))
	node, err := os.ReadFile(filepath.Join(disk, "node"))
	if err != nil || string(node) != d.node {
		return nil, status.Errorf(codes.FailedPrecondition, "disk %s is attached to %q", r.VolumeId, node)
	}
	if err := os.MkdirAll(filepath.Join(disk, "data"), 0o777); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &csi.NodeStageVolumeResponse{}, bind(filepath.Join(disk, "data"), r.StagingTargetPath)
}

func (d *driver) NodeUnstageVolume(_ context.Context, r *csi.NodeUnstageVolumeRequest) (
	*csi.NodeUnstageVolumeResponse, error) {
	return &csi.NodeUnstageVolumeResponse{}, unbind(r.StagingTargetPath)
}

func (d *driver) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (
	*csi.NodePublishVolumeResponse, error) {
	return &csi.NodePublishVolumeResponse{}, bind(r.StagingTargetPath, r.TargetPath)
}

func (d *driver) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (
	*csi.NodeUnpublishVolumeResponse, error) {
	return &csi.NodeUnpublishVolumeResponse{}, unbind(r.TargetPath)
}

func bind(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	if mounted(to) {
		return nil
	}
	return run("mount", "--bind", from, to)
}

func unbind(path string) error {
	if mounted(path) {
		if err := run("umount", path); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(path); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return nil
}

func mounted(path string) bool { return exec.Command("mountpoint", "-q", path).Run() == nil }

func run(program string, args ...string) error {
	if output, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return status.Errorf(codes.Internal, "%s %s: %v: %s", program, strings.Join(args, " "), err, output)
	}
	return nil
}
