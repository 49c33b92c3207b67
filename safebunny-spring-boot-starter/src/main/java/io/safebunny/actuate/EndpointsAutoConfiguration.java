// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.engine.SafeBunnyOptions;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Timeline;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code safebunny}, where Spring Boot's actuator is on the class path and exposes it. */
@AutoConfiguration(afterName = "io.safebunny.autoconfigure.SafeBunnyAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(SafeBunnyEngine.class)
final class EndpointsAutoConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    NodeEndpoint safebunnyEndpoint(
            SafeBunnyEngine engine,
            SafeBunnyOptions options,
            BunnyCircuitBreaker breaker,
            BunnyOperations operations,
            Transport transport,
            ObjectProvider<MessageStore> store,
            ApplicationEventPublisher publisher,
            Timeline timeline) {
        NodeViews views = new NodeViews(engine, options.node(), breaker, operations, transport, store.getIfAvailable());
        return new NodeEndpoint(views, operations, publisher, timeline);
    }
}
