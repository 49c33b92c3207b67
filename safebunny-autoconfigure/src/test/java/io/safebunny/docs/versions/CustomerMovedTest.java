// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@BunnyTest(properties = "safebunny.node=shipping")
class CustomerMovedTest {

    private static final String FIRST = """
            {"customer": "7", "street": "Main Street 1", "city": "Leeds"}
            """;

    private static final String SECOND = """
            {"customer": "8", "address": {"street": "Main Street 1", "city": "York"}}
            """;

    @Test
    void readsWhatEachVersionHasSent(BunnyHarness bunny, @Autowired Parcels parcels) {
        bunny.as("crm").deliver("CustomerMoved", 1, FIRST, "c-7");
        bunny.as("crm").deliver("CustomerMoved", 2, SECOND, "c-8");

        bunny.runUntilIdle();

        assertThat(bunny.messages()).nothingSetAside();
        assertThat(parcels.cityOf("7")).isEqualTo("Leeds");
        assertThat(parcels.cityOf("8")).isEqualTo("York");
    }
}
