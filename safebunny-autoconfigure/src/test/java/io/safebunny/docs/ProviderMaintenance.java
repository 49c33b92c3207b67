// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static io.safebunny.docs.GuideListingsTest.log;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.docs.GuideListingsTest.OrderPlaced;
import java.time.Duration;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class ProviderMaintenance {

    private final BunnyCircuitBreaker breaker;

    ProviderMaintenance(BunnyCircuitBreaker breaker) {
        this.breaker = breaker;
    }

    void begins(Duration announced) {
        breaker.open(OrderPlaced.class, announced); // or breaker.open(announced) for all types
    }

    void isOver() {
        breaker.close(OrderPlaced.class);
    }

    @EventListener
    void on(BunnyCircuitBreaker.Change change) {
        log.warn("{}: {} -> {}, {}", change.type(), change.from(), change.to(), change.reason());
    }
}
