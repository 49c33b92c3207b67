// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Keeps the newest thousand spans, and forgets those before. Thread-safe. */
final class NewestSpans implements SpanExporter {

    private static final int KEPT = 1_000;

    private final AtomicReferenceArray<SpanData> spans = new AtomicReferenceArray<>(KEPT);
    private final AtomicLong exported = new AtomicLong();

    private NewestSpans() {}

    /** OpenTelemetry as Spring Boot sets it up, with the ids in the log's context; but each span is exported at once. */
    static ObservationHandler<? extends Observation.Context> handler() {
        Slf4JEventListener log = new Slf4JEventListener();
        ContextStorage.addWrapper(new EventPublishingContextWrapper(log::onEvent));
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(new NewestSpans()))
                .build();
        Tracer tracer = provider.get("benchmark");
        return new PropagatingReceiverTracingObservationHandler<>(
                new OtelTracer(tracer, new OtelCurrentTraceContext(), log::onEvent),
                new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracer));
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> newest) {
        newest.forEach(span -> spans.set((int) (exported.getAndIncrement() % KEPT), span));
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
