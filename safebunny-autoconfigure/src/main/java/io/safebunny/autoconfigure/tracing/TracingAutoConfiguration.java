// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.tracing;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/**
 * Retries, delayed messages and replays as linked traces, where Micrometer Tracing is. After Boot's own, which would otherwise take our handler
 * for that of all receivers.
 */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass({Tracer.class, PropagatingReceiverTracingObservationHandler.class})
@ConditionalOnBean({Tracer.class, Propagator.class})
final class TracingAutoConfiguration {

    /** Asked before Boot's handler of all receivers, whose order is 1000. */
    static final int ORDER = 900;

    @Bean
    @Order(ORDER)
    LinkedTraces safeBunnyLinkedTraces(Tracer tracer, Propagator propagator) {
        return new LinkedTraces(tracer, propagator);
    }
}
