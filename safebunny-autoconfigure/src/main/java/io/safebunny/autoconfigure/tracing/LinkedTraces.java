// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.tracing;

import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.safebunny.observation.LinkedContext;
import io.safebunny.observation.SendingContext;

/**
 * Handles deliveries that do not follow their publication at once: retries, delayed and scheduled messages, undos, replays. Each starts a
 * new trace, with a link to the one in which the message was created. The sending of a message that was scheduled or kept by a saga gets
 * such a link too, but stays in the trace of the sender. Micrometer's own handler takes all other deliveries.
 */
final class LinkedTraces extends PropagatingReceiverTracingObservationHandler<ReceiverContext<?>> {

    private final Tracer tracer;

    LinkedTraces(Tracer tracer, Propagator propagator) {
        super(tracer, propagator);
        this.tracer = tracer;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LinkedContext linked && linked.isLater();
    }

    @Override
    public Span.Builder customizeExtractedSpan(ReceiverContext<?> context, Span.Builder span) {
        Span current = context instanceof SendingContext ? tracer.currentSpan() : null;
        if (current == null) {
            span.setNoParent();
        } else {
            span.setParent(current.context());
        }
        String made = ((LinkedContext) context).madeIn();
        return made == null ? span : span.addLink(new Link(parsed(made)));
    }

    /** Parses a header whose form has been checked: {@code 00-<32 hex>-<16 hex>-<2 hex>}. */
    private TraceContext parsed(String parent) {
        String[] fields = parent.split("-", 5);
        return tracer.traceContextBuilder()
                .traceId(fields[1])
                .spanId(fields[2])
                .sampled((Integer.parseInt(fields[3], 16) & 1) == 1)
                .build();
    }
}
