// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** How a type is divided, over HTTP. */
class ShardsOverHttpTest {

    private static final ReactiveWebApplicationContextRunner NODE =
            HttpCalls.node().withBean(Shelf.class).withPropertyValues("safebunny.store.type=memory", "listened=0-2,3");

    @BunnyMessage(orderBy = "article")
    record StockChanged(String article, int left) {}

    static class Shelf {
        private final Queue<String> shown = new ConcurrentLinkedQueue<>();

        @BunnyHandler(from = "shop", ordered = true, shards = "4", listen = "${listened}")
        void on(StockChanged change) {
            shown.add(change.article() + " " + change.left());
        }
    }

    @Test
    void tellsTheShardsOfATypeWhenItsMessagesAreHandledInThem() {
        NODE.run(context -> {
            for (int left = 3; left > 0; left--) {
                context.getBean(Bunny.class).publish(new StockChanged("tea", left));
            }
            await().untilAsserted(() ->
                    assertThat(context.getBean(Shelf.class).shown).containsExactly("tea 3", "tea 2", "tea 1"));

            Map<String, Object> type = read(get(context, "safebunny/shards/StockChanged"), "$");

            assertThat(type)
                    .containsEntry("wanted", 4)
                    .containsEntry("present", 4)
                    .containsEntry("resize", null)
                    .containsEntry("note", null)
                    .containsEntry(
                            "shards",
                            List.of(
                                    Map.of("shard", 0, "waiting", 0, "heard", true, "listened", true),
                                    Map.of("shard", 1, "waiting", 0, "heard", true, "listened", true),
                                    Map.of("shard", 2, "waiting", 0, "heard", true, "listened", true),
                                    Map.of("shard", 3, "waiting", 0, "heard", true, "listened", true)));
            assertThat(get(context, "safebunny/shards/Other").statusCode()).isEqualTo(404);
        });
    }

    @Test
    void tellsThatNothingIsDivided() {
        HttpCalls.node()
                .run(context ->
                        assertThat(get(context, "safebunny/shards").body()).isEqualTo("{}"));
    }
}
