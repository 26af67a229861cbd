// SPDX-License-Identifier: GPL-2.0

// An OpenTelemetry Collector for tests: the receivers are those of the project, for
// profiles and metrics; the exporter appends each message to a file, before the sender
// gets its answer. So a sender that got 200 can count on the file. tests/lab/otlp.py
// starts it and reads the files.
//
// Its environment is its configuration, if it gets no --config:
//
//	OTELCOL_DIR    an existing directory: DIR/profiles and DIR/metrics are written, each
//	               message as four bytes, its length with the highest byte first, and as
//	               it is on the wire
//	OTELCOL_HTTP   the address of OTLP over HTTP, as 127.0.0.1:4318
//	OTELCOL_GRPC   the address of OTLP over gRPC, as 127.0.0.1:4317
//
// tests/lab/otelcol builds it.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/xexporter"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

const configuration = `yaml:
receivers:
  otlp:
    protocols:
      http: {endpoint: "${env:OTELCOL_HTTP}"}
      grpc: {endpoint: "${env:OTELCOL_GRPC}"}
exporters:
  append: {directory: "${env:OTELCOL_DIR}"}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    profiles: {receivers: [otlp], exporters: [append]}
    metrics: {receivers: [otlp], exporters: [append]}
`

type appendConfig struct {
	Directory string `mapstructure:"directory"`
}

// appender writes the messages of one kind to its file.
type appender struct {
	path string
	lock sync.Mutex
	file *os.File
}

func newAppender(config component.Config, kind string) *appender {
	return &appender{path: filepath.Join(config.(*appendConfig).Directory, kind)}
}

func (a *appender) Start(context.Context, component.Host) (err error) {
	a.file, err = os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return err
}

func (a *appender) Shutdown(context.Context) error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

func (a *appender) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{}
}

// write appends a message by one call, so that a reader of the file sees only whole ones
// but for the last.
func (a *appender) write(message []byte, err error) error {
	if err != nil {
		return err
	}
	record := binary.BigEndian.AppendUint32(nil, uint32(len(message)))
	record = append(record, message...)
	a.lock.Lock()
	defer a.lock.Unlock()
	_, err = a.file.Write(record)
	return err
}

type profilesAppender struct{ *appender }

func (a profilesAppender) ConsumeProfiles(_ context.Context, profiles pprofile.Profiles) error {
	return a.write((&pprofile.ProtoMarshaler{}).MarshalProfiles(profiles))
}

type metricsAppender struct{ *appender }

func (a metricsAppender) ConsumeMetrics(_ context.Context, metrics pmetric.Metrics) error {
	return a.write((&pmetric.ProtoMarshaler{}).MarshalMetrics(metrics))
}

func newAppendFactory() exporter.Factory {
	return xexporter.NewFactory(component.MustNewType("append"),
		func() component.Config { return &appendConfig{} },
		xexporter.WithProfiles(func(_ context.Context, _ exporter.Settings,
			config component.Config) (xexporter.Profiles, error) {
			return profilesAppender{newAppender(config, "profiles")}, nil
		}, component.StabilityLevelDevelopment),
		xexporter.WithMetrics(func(_ context.Context, _ exporter.Settings,
			config component.Config) (exporter.Metrics, error) {
			return metricsAppender{newAppender(config, "metrics")}, nil
		}, component.StabilityLevelDevelopment))
}

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](newAppendFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	return otelcol.Factories{
		Receivers: receivers,
		Exporters: exporters,
		Telemetry: otelconftelemetry.NewFactory(),
	}, nil
}

func run() error {
	// Profiles are behind a gate as long as their format is in development.
	if err := featuregate.GlobalRegistry().Set("service.profilesSupport", true); err != nil {
		return err
	}
	resolver := confmap.ResolverSettings{
		URIs:          []string{configuration},
		DefaultScheme: "file",
		ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(),
			fileprovider.NewFactory(), yamlprovider.NewFactory()},
	}
	return otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo:              component.BuildInfo{Command: "otelcol", Version: "0"},
		Factories:              factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: resolver},
	}).ExecuteContext(context.Background())
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
