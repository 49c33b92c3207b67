// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.publish;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Figures;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The upper bound set by the client library: one channel, one thread, prepared bytes, at most 1,000 unconfirmed messages. Does
 * not know which message failed.
 */
final class RawWindow {

    private static final int WINDOW = 1_000;

    private final Channel channel;
    private final byte[] body;
    private final Semaphore window = new Semaphore(WINDOW);
    private final NavigableSet<Long> unconfirmed = new ConcurrentSkipListSet<>();
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

    RawWindow(Channel channel, byte[] body) throws IOException {
        this.channel = channel;
        this.body = body;
        channel.confirmSelect();
        channel.addConfirmListener(this::confirmed, (tag, multiple) -> {
            failure.set("nack of " + tag);
            confirmed(tag, multiple);
        });
        channel.addReturnListener(returned -> failure.set(returned.getReplyText()));
    }

    private void confirmed(long tag, boolean multiple) {
        if (!multiple) {
            unconfirmed.remove(tag);
            window.release();
            return;
        }
        NavigableSet<Long> confirmed = unconfirmed.headSet(tag, true);
        int count = confirmed.size();
        confirmed.clear();
        window.release(count);
    }

    Figures publish(int messages) throws Exception {
        BasicProperties properties = BenchBroker.properties("00000000-0000-0000-0000-000000000000");
        long begin = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            window.acquire();
            unconfirmed.add(channel.getNextPublishSeqNo());
            channel.basicPublish(BenchBroker.EXCHANGE, BenchBroker.routingKey("Ping"), true, properties, body);
        }
        window.acquire(WINDOW);
        long nanos = System.nanoTime() - begin;
        window.release(WINDOW);
        String failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("Not all were confirmed: " + failed);
        }
        return Figures.perSecond(messages, nanos);
    }
}
