// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.handler.TrustedUsers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a start tells of the order of a handler. */
class ShardsInLogTest {

    private static String described(Ordering ordering, @Nullable Sharding sharding) {
        HandlerDefinition handler = new HandlerDefinition(
                        "invoicing.on(OrderPlaced)",
                        "OrderPlaced",
                        OrderPlaced.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> {})
                .ordered(ordering)
                .sharded(sharding);
        return new Handlers(List.of(handler)).describe(TrustedUsers.UNCHECKED);
    }

    @Test
    void tellsIntoHowManyShardsATypeIsDividedAndWhichAreListenedTo() {
        assertThat(described(Ordering.NONE, null)).contains("prefetch 10, in-memory");
        assertThat(described(Ordering.HOLD, null)).contains(", in order, in-memory");
        assertThat(described(Ordering.SKIP, null)).contains(", in order but for poison, in-memory");
        assertThat(described(Ordering.HOLD, Sharding.into(16))).contains(", in order in 16 shards, in-memory");
        assertThat(described(Ordering.HOLD, Sharding.parse(16, "0-7")))
                .contains(", in order in 16 shards (listens to 0-7), in-memory");
        assertThat(described(Ordering.SKIP, Sharding.parse(16, "0,3")))
                .contains(", in order in 16 shards (listens to 0,3) but for poison, in-memory");
        assertThat(described(Ordering.HOLD, Sharding.into(1))).contains(", in order in 1 shard, in-memory");
    }
}
