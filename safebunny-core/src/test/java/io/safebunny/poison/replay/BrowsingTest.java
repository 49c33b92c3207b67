// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.fixture.Wires;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BrowsingTest {

    private static final String POISON = "billing-poison";

    private final PoisonNode node = new PoisonNode(timeline -> null);
    private final Browsing browsing = node.browsing();

    /** Each of which would find nothing beside the other. */
    @Test
    void anOperationWaitsForALookThatHasTakenEverything() throws Exception {
        node.setAside(Wires.orderPlaced().wire());
        node.setAside(Wires.orderPlaced().wire());
        BrowsedQueue operation = browsing.byTurns(POISON);
        assertThat(operation.next()).isNotNull();
        CountDownLatch looked = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        CompletableFuture<Integer> list = CompletableFuture.supplyAsync(() -> browsing.alone(POISON, queue -> {
            List<Delivery> taken = new ArrayList<>();
            for (Delivery next = queue.next(); next != null; next = queue.next()) {
                taken.add(next);
            }
            looked.countDown();
            awaited(enough);
            return taken.size();
        }));
        assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();
        AtomicReference<@Nullable Delivery> second = new AtomicReference<>();
        Thread running = new Thread(() -> second.set(operation.next()));
        running.start();
        await().until(() -> running.getState() == Thread.State.WAITING || !running.isAlive());
        enough.countDown();
        running.join();

        assertThat(list.get()).as("what the operation keeps is not there").isEqualTo(1);
        assertThat(second.get()).isNotNull();
        operation.close();
        assertThat(node.copies()).hasSize(2);
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
