// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.GetResponse;
import io.safebunny.rabbit.instance.Instance;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message whose handling ends the process, among others that do not. */
@Timeout(240)
@Tag("once")
class KillerIT {

    private static final int LIMIT = 6;
    private static final int INNOCENTS = 30;

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "killer." + UUID.randomUUID().toString().substring(0, 8);
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final TestBroker broker = TestBroker.shared();

    /** An innocent takes longer than a killer, so that the killer strikes while it is in work. */
    private final InstanceOptions options = new InstanceOptions(node, broker, 10, LIMIT, Duration.ofMillis(300), false);

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Job");
        rabbit.close();
    }

    @Test
    void isSetAsideAfterTheDeliveryLimitAndItsNeighboursAreNot() {
        try (Instance first = Instance.start(options, handled::add).awaitReady();
                NodeUnderTest publisher = NodeUnderTest.publisher(options)) {
            publisher.bunny().publish(new Job("killer", true));
            first.awaitEnd();
            for (int i = 0; i < INNOCENTS; i++) {
                publisher.bunny().publish(new Job("innocent-" + i, false));
            }
            publisher.bunny().publish(new Job("second-killer", true));
        }

        int crashes = 1;
        while (poisoned().size() < 2) {
            try (Instance next = Instance.start(options, handled::add).awaitReady()) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !next.isAlive() || poisoned().size() == 2);
                crashes += next.isAlive() ? 0 : 1;
            }
            assertThat(crashes).isLessThanOrEqualTo(2 * (LIMIT + 1));
        }

        try (Instance last = Instance.start(options, handled::add).awaitReady()) {
            await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() == INNOCENTS);
        }
        // what the look before has taken may still be on its way back
        Map<String, Map<String, Object>> poisoned = await().until(this::poisoned, found -> found.size() > 1);
        assertThat(poisoned.keySet()).hasSize(2).allSatisfy(body -> assertThat(body)
                .contains("killer"));
        assertThat(poisoned.values()).allSatisfy(headers -> {
            assertThat(headers.get("sb-poison-reason")).hasToString("delivery-limit");
            assertThat(headers.get("sb-poison-queue")).hasToString(node + "-Job");
            assertThat(headers.get("x-original-exchange")).hasToString("safebunny");
            assertThat(headers.get("x-original-routingKey")).hasToString(node + "-Job");
        });
    }

    /**
     * Headers by body: who is killed by one of them between sending the copy of the other and acknowledging where it came from sends that
     * copy twice.
     */
    private Map<String, Map<String, Object>> poisoned() {
        Map<String, Map<String, Object>> found = new HashMap<>();
        rabbit.onBroker(channel -> {
            for (GetResponse copy = channel.basicGet(node + "-poison", false);
                    copy != null;
                    copy = channel.basicGet(node + "-poison", false)) {
                found.put(
                        new String(copy.getBody(), StandardCharsets.UTF_8),
                        copy.getProps().getHeaders());
            }
        });
        return found;
    }
}
