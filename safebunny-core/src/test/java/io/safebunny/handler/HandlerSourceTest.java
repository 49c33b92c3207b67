// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandlerSourceTest {

    private static HandlerDefinition handler(String description, String type) {
        return new HandlerDefinition(
                description,
                type,
                OrderPlaced.class,
                List.of("orders"),
                1,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {});
    }

    @Test
    void theHandlersOfAllSourcesInOrder() {
        HandlerSource first = () -> List.of(handler("a", "A"), handler("b", "B"));
        HandlerSource second = () -> List.of(handler("c", "C"));

        assertThat(HandlerSource.all(List.of(first, List::of, second)))
                .extracting(HandlerDefinition::type)
                .containsExactly("A", "B", "C");
    }

    @Test
    void twoSourcesMayNotHaveHandlersOfOneType() {
        HandlerSource beans = () -> List.of(handler("a bean", "OrderPlaced"));
        HandlerSource sagas = () -> List.of(handler("a saga", "OrderPlaced"));

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> HandlerSource.all(List.of(beans, sagas)))
                .withMessageContaining("SB-1102")
                .withMessageContaining("a bean from [orders] and a saga from [orders]");
    }

    /** One of them would take from its queue what the other one must have in order. */
    @Test
    void norIfOneOfThemIsInOrder() {
        HandlerSource plain = () -> List.of(handler("a plain one", "OrderPlaced"));
        HandlerSource ordered = () -> List.of(
                handler("an ordered one", "OrderPlaced").ordered(Ordering.HOLD).sharded(Sharding.into(4)));

        for (List<HandlerSource> sources : List.of(List.of(plain, ordered), List.of(ordered, plain))) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> HandlerSource.all(sources))
                    .withMessageContaining("SB-1102")
                    .withMessageContaining("a plain one from [orders]")
                    .withMessageContaining("an ordered one from [orders]");
        }
    }
}
