// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What OpenTelemetry's SDK exports, set up as Spring Boot does it. Thread-safe. */
class Spans implements SpanExporter {

    private final List<SpanData> all = new CopyOnWriteArrayList<>();

    /** The same node, traced. */
    ApplicationContextRunner in(ApplicationContextRunner node) {
        return node.withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class,
                        OpenTelemetrySdkAutoConfiguration.class,
                        OpenTelemetryTracingAutoConfiguration.class,
                        MicrometerTracingAutoConfiguration.class))
                .withBean(SimpleSpanProcessor.class, () -> (SimpleSpanProcessor) SimpleSpanProcessor.create(this))
                .withPropertyValues("management.tracing.sampling.probability=1.0");
    }

    /** Waits for that many spans with this name, in the order of their ends. */
    List<SpanData> named(String name, int count) {
        return Awaitility.await(count + " spans named " + name)
                .until(() -> where(span -> span.getName().equals(name)), found -> found.size() >= count);
    }

    SpanData named(String name) {
        return named(name, 1).get(0);
    }

    /** In the order of their beginnings: a retry may have ended before the attempt that sent it. */
    List<SpanData> where(Predicate<SpanData> condition) {
        return all.stream()
                .filter(condition)
                .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
                .toList();
    }

    /** Trace and span id of each link. */
    static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map(to -> to.getTraceId() + ' ' + to.getSpanId())
                .collect(Collectors.toList());
    }

    static String id(SpanData span) {
        return span.getTraceId() + ' ' + span.getSpanId();
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        all.addAll(spans);
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}
