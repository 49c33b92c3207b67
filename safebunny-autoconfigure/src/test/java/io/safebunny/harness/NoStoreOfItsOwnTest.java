// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.test.BunnyTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;

class NoStoreOfItsOwnTest {

    @Nested
    @BunnyTest(classes = Shop.class, properties = "safebunny.node=shop")
    class Unsaid {

        @Test
        void aTestGetsOneInMemory(@Autowired MessageStore store) {
            assertThat(store).isInstanceOf(MemoryMessageStore.class);
        }
    }

    @Nested
    @BunnyTest(
            classes = Shop.class,
            properties = {"safebunny.node=shop", "safebunny.store.type=none"})
    class None {

        @Test
        void aTestHasNoneIfItSaysSo(@Autowired ObjectProvider<MessageStore> store) {
            assertThat(store.getIfAvailable()).isNull();
        }
    }
}
