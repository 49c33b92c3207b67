// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.observation.HandlingContext;
import org.jspecify.annotations.Nullable;

/**
 * Begins a new trace, with a link to where the message was made, for a delivery that did not follow its publication at once: a retry, a
 * delayed message, a replay. Leaves all others to Micrometer's own handler.
 */
final class LinkedTraces extends PropagatingReceiverTracingObservationHandler<HandlingContext> {

    private final Tracer tracer;

    LinkedTraces(Tracer tracer, Propagator propagator) {
        super(tracer, propagator);
        this.tracer = tracer;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof HandlingContext handling && handling.isLater();
    }

    @Override
    public Span.Builder customizeExtractedSpan(HandlingContext handling, Span.Builder span) {
        span.setNoParent();
        TraceContext made = made(handling);
        return made == null ? span : span.addLink(new Link(made));
    }

    /** From the header whose form was checked: {@code 00-<32 hex>-<16 hex>-<2 hex>}. */
    private @Nullable TraceContext made(HandlingContext handling) {
        Envelope message = handling.getCarrier();
        String parent = message == null ? null : message.trace().get(Headers.TRACEPARENT);
        if (parent == null) {
            return null;
        }
        String[] fields = parent.split("-", 5);
        return tracer.traceContextBuilder()
                .traceId(fields[1])
                .spanId(fields[2])
                .sampled((Integer.parseInt(fields[3], 16) & 1) == 1)
                .build();
    }
}
