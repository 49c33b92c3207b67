// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.store.MessageStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class StoreTest {

    @Test
    void noneHandlesDuplicatesAgainAndSaysSo(CapturedOutput output) {
        Nodes.memory()
                .withPropertyValues("safebunny.store.type=none")
                .withBean(Handler.class)
                .run(twice(2));
        assertThat(output).containsOnlyOnce("No message store [safebunny.store.type=none]");
    }

    /** The tests have safebunny-jdbc on the class path, and here no DataSource. */
    @Test
    void aStoreModuleWithoutAStoreIsWarnedOf(CapturedOutput output) {
        Nodes.memory().withBean(Handler.class).run(twice(2));
        assertThat(output).containsOnlyOnce("There is no message store, although a store module is on the class path");
    }

    @Test
    void neitherAStoreNorAModuleOfOneIsWarnedOfToo(CapturedOutput output) {
        Nodes.memory()
                .withClassLoader(new FilteredClassLoader("io.safebunny.jdbc.store", "io.safebunny.cosmos"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output.toString().lines().filter(line -> line.contains("No message store")))
                            .singleElement()
                            .asString()
                            .contains(" WARN ", "safebunny.store.type is not set");
                });
    }

    @Test
    void memorySuppressesDuplicatesAndWarns(CapturedOutput output) {
        Nodes.memory()
                .withPropertyValues("safebunny.store.type=memory")
                .withBean(Handler.class)
                .run(twice(1));
        assertThat(output).contains("The message store is in memory [safebunny.store.type=memory]");
    }

    @Test
    void noneIsTheDefault() {
        Nodes.memory().run(context -> assertThat(context).doesNotHaveBean(MessageStore.class));
    }

    @Test
    void aTypeWhoseModuleIsMissingIsRefused() {
        Nodes.memory().withPropertyValues("safebunny.store.type=cosmos").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1403 No store of this type [safebunny.store.type=cosmos]")
                .hasStackTraceContaining("Add io.safebunny:safebunny-cosmos"));
    }

    @Test
    void jdbcWithoutADataSourceSaysWhatToAdd() {
        Nodes.memory().withPropertyValues("safebunny.store.type=jdbc").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1404 No database for the message store")
                .hasStackTraceContaining("spring-boot-starter-jdbc"));
    }

    private static ContextConsumer<AssertableApplicationContext> twice(int handled) {
        return context -> {
            PublishOptions options =
                    PublishOptions.none().withIdempotencyKey("one").withCorrelationId("order-1");
            Bunny bunny = context.getBean(Bunny.class);
            bunny.publish(new OrderPlaced("1"), options);
            bunny.publish(new OrderPlaced("1"), options);

            MemoryBroker broker = context.getBean(MemoryBroker.class);
            Awaitility.await().until(broker::isIdle);
            assertThat(context.getBean(Handler.class).received.waiting()).isEqualTo(handled);
        };
    }

    static class Handler {
        final Received<OrderPlaced> received = new Received<>();

        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            received.add(payload);
        }
    }
}
