// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.formats;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@BunnyTest(properties = "safebunny.node=warehouse")
class WarehouseTest {

    @Test
    void readsEachFormat(BunnyHarness bunny, @Autowired Warehouse warehouse) {
        Value tea = Value.newBuilder().setStringValue("tea").build();
        bunny.as("shop").publish(new OrderPlaced("o-1", new BigDecimal("19.90")));
        bunny.as("shop").deliver("OrderPlaced", "{\"order\": \"o-2\", \"total\": 5}", "o-2");
        bunny.as("catalogue").publish(Struct.newBuilder().putFields("name", tea).build());

        bunny.runUntilIdle();

        assertThat(bunny.messages()).nothingSetAside();
        assertThat(warehouse.seen).containsExactlyInAnyOrder("o-1 for 19.90", "o-2 for 5", "tea");
    }
}
