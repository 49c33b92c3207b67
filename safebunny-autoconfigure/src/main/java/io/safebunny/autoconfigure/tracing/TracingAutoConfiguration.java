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
 * Linked traces for retries, delayed messages and replays, if Micrometer Tracing is on the class path. Runs after Boot's own
 * auto-configuration, which would otherwise mistake our handler for the one that handles all receivers.
 */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass({Tracer.class, PropagatingReceiverTracingObservationHandler.class})
@ConditionalOnBean({Tracer.class, Propagator.class})
final class TracingAutoConfiguration {

    /** Comes before Boot's handler of all receivers, whose order is 1000. */
    static final int ORDER = 900;

    @Bean
    @Order(ORDER)
    LinkedTraces safeBunnyLinkedTraces(Tracer tracer, Propagator propagator) {
        return new LinkedTraces(tracer, propagator);
    }
}
