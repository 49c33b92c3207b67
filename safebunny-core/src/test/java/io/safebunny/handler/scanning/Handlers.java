// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.Bunny;
import io.safebunny.BunnyScope;
import io.safebunny.MessageContext;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.MessageScope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.env.MapPropertySource;

/** A real application context to scan. */
final class Handlers implements AutoCloseable {

    static final HandlerDefaults DEFAULTS = new HandlerDefaults(
            10,
            new RetrySettings(2, Duration.ofMillis(100), 2, Duration.ofSeconds(1), 0),
            RetryStrategy.after(Duration.ofSeconds(10)));

    final MessageScope scope = new MessageScope();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    Handlers(Class<?>... components) {
        this(Map.of(), components);
    }

    Handlers(Map<String, Object> properties, Class<?>... components) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.getBeanFactory().registerScope(BunnyScope.NAME, scope);
        context.register(PropertySourcesPlaceholderConfigurer.class); // strict placeholders, as Spring Boot has them
        context.register(components);
        context.refresh();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** With rates from properties, by type. */
    List<HandlerDefinition> scan(Map<String, String> rates) {
        HandlerDefaults defaults = new HandlerDefaults(
                DEFAULTS.prefetch(), 4, DEFAULTS.batchSize(), DEFAULTS.retry(), DEFAULTS.delayedRetry(), rates);
        return HandlerSource.all(List.of(new HandlerScanner(context.getBeanFactory(), defaults)));
    }

    List<HandlerDefinition> scan() {
        return HandlerSource.all(List.of(new HandlerScanner(context.getBeanFactory(), DEFAULTS)));
    }

    List<SagaDefinition> sagas() {
        return new SagaScanner(context.getBeanFactory(), DEFAULTS, null).sagas();
    }

    /** Scans what must be exactly one saga. */
    SagaDefinition oneSaga() {
        List<SagaDefinition> found = sagas();
        if (found.size() != 1) {
            throw new AssertionError("Expected one saga, found " + found);
        }
        return found.get(0);
    }

    /** Scans what must be exactly one handler. */
    HandlerDefinition one() {
        List<HandlerDefinition> found = scan();
        if (found.size() != 1) {
            throw new AssertionError("Expected one handler, found " + found);
        }
        return found.get(0);
    }

    @Override
    public void close() {
        context.close();
    }

    static MessageContext message(Map<String, Object> headers) {
        return new Message(headers);
    }

    private record Message(Map<String, Object> headers) implements MessageContext {
        @Override
        public String messageId() {
            return "m-1";
        }

        @Override
        public String correlationId() {
            return "c-1";
        }

        @Override
        public String type() {
            return "OrderPlaced";
        }

        @Override
        public String from() {
            return "orders";
        }

        @Override
        public int marker() {
            return 1;
        }

        @Override
        public @Nullable String causationId() {
            return null;
        }

        @Override
        public int attempt() {
            return 0;
        }

        @Override
        public Instant sentAt() {
            return Instant.EPOCH;
        }

        @Override
        public boolean redelivered() {
            return false;
        }

        @Override
        public Bunny publisher() {
            throw new UnsupportedOperationException("no handler of these tests publishes");
        }

        @Override
        public <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
            return step.run();
        }
    }
}
