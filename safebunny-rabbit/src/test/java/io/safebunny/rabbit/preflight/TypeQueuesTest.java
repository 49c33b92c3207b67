// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.topology.Subscription;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypeQueuesTest {

    private final TypeQueues types = new TypeQueues("shop.eu");

    @Test
    void readsTheNamesThatNodesGive() {
        Subscription whole = new Subscription("Order$Placed", List.of("desk"));
        Subscription divided = new Subscription("Order$Placed", List.of("desk"), true, 256);

        assertThat(types.typeOf(whole.queue("shop.eu"))).isEqualTo("Order$Placed");
        assertThat(types.typeOf(divided.queue("shop.eu"))).isEqualTo("Order$Placed");
        assertThat(divided.shardQueues("shop.eu")).hasSize(256).allSatisfy(shard -> {
            assertThat(types.typeOf(shard)).isEqualTo("Order$Placed");
            assertThat(types.isOfType(shard)).isTrue();
            assertThat(types.isShard(shard)).isTrue();
        });
        assertThat(types.isShard(whole.queue("shop.eu"))).isFalse();
        assertThat(types.isShard(divided.queue("shop.eu"))).isFalse();
        assertThat(types.isOfType(divided.queue("shop.eu"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "shop.eu-OrderPlaced.01",
        "shop.eu-OrderPlaced.1000",
        "shop.eu-OrderPlaced.1.2",
        "shop.eu-OrderPlaced.in.1",
        "shop.eu-OrderPlaced.1.in",
        "shop.eu-OrderPlaced.x",
        "shop.eu-OrderPlaced.",
        "shop.eu-.1",
        "shop.eu-dead-letters",
        "shop.eu-west-OrderPlaced",
        "shop.eu-west-OrderPlaced.1",
        "shop-OrderPlaced.1",
        "shopxeu-OrderPlaced.1",
        "OrderPlaced.1"
    })
    void doesNotTakeOtherNamesForThem(String queue) {
        assertThat(types.isOfType(queue)).isFalse();
        assertThat(types.isShard(queue)).isFalse();
    }
}
