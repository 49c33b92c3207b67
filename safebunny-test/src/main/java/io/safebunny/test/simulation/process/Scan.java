// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.process;

import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.HandlerScanner;
import io.safebunny.handler.scanning.SagaScanner;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** The handlers and sagas of one process. */
public record Scan(List<HandlerDefinition> handlers, List<SagaDefinition> sagas) {

    private static final int PREFETCH = 10;
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final HandlerDefaults DEFAULTS = new HandlerDefaults(
            PREFETCH,
            new RetrySettings(1, Duration.ofMillis(100), 1, Duration.ofMillis(100), 0),
            new RetryStrategy(List.of(PAUSE, PAUSE, PAUSE, PAUSE, PAUSE), 0));

    public static Scan of(List<?> objects) {
        if (objects.isEmpty()) {
            return new Scan(List.of(), List.of());
        }
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (int i = 0; i < objects.size(); i++) {
            beans.registerSingleton(objects.get(i).getClass().getSimpleName() + i, objects.get(i));
        }
        return new Scan(new HandlerScanner(beans, DEFAULTS).handlers(), new SagaScanner(beans, DEFAULTS, null).sagas());
    }
}
