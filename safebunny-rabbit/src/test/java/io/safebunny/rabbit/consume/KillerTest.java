// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A message that ends each process that handles it, among good ones whose handlers all take long, on a broker that counts a failed
 * delivery for everything that an ended process had: processes follow each other until the broker sets the killer aside.
 */
class KillerTest {

    private static final int LIMIT = 20;
    private static final int MOST_OF_A_NEIGHBOUR = 4;

    private final Deque<Message> queue = new ArrayDeque<>();
    private final List<Message> setAside = new ArrayList<>();
    private int handled;

    private static final class Message {
        final boolean kills;
        int failed;

        Message(boolean kills) {
            this.kills = kills;
        }
    }

    @ParameterizedTest(name = "{1} good ones, then {2} killers, then {1} good ones; prefetch {0}")
    @CsvSource({"1, 3, 1", "2, 3, 1", "10, 0, 1", "10, 4, 1", "10, 20, 1", "50, 30, 1", "10, 4, 2", "50, 30, 3"})
    void killersAreSetAsideAndNoGoodMessageWithThem(int prefetch, int good, int killers) {
        List<Message> innocent = new ArrayList<>();
        for (int i = 0; i < good; i++) {
            innocent.add(new Message(false));
        }
        queue.addAll(innocent);
        for (int i = 0; i < killers; i++) {
            queue.add(new Message(true));
        }
        for (int i = 0; i < good; i++) {
            innocent.add(new Message(false));
            queue.add(innocent.get(good + i));
        }
        while (!queue.isEmpty()) {
            new Life(prefetch).live();
        }

        assertThat(setAside).hasSize(killers).allMatch(message -> message.kills);
        assertThat(handled).isEqualTo(2 * good);
        assertThat(innocent).allMatch(message -> message.failed <= MOST_OF_A_NEIGHBOUR);
    }

    /** Thrown where the process ends. */
    private static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Of one process, which handles at once as much as it gets: a handler goes on while another one runs within it. */
    private final class Life implements Dispatcher.Work {

        private final VirtualTimeline timeline = VirtualTimeline.skipping();
        private final ManualWorkers workers = new ManualWorkers();
        private final FakeConnection broker = new FakeConnection();
        private final Map<String, Message> unsettled = new LinkedHashMap<>();
        private final ConsumerControl control;

        Life(int prefetch) {
            BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
            ConsumedQueue queue = new ConsumedQueue(
                    "orders-Ping", prefetch, true, new QuarantinePolicy(20, QuarantinePolicy.PATIENCE));
            ConsumerContext context = new ConsumerContext(broker::connection, connection -> {}, workers, timeline, log);
            control = new ConsumerControl(
                    queue,
                    new InboundBudget(1 << 20, log).share("orders-Ping", prefetch),
                    context,
                    told -> new Dispatcher(queue, context, this));
        }

        void live() {
            control.adjust();
            try {
                goOn();
            } catch (Died e) {
                List<Message> back = new ArrayList<>(unsettled.values());
                Collections.reverse(back);
                back.forEach(this::countAndPutBack);
            }
        }

        private void countAndPutBack(Message message) {
            message.failed++;
            if (message.failed > LIMIT) {
                setAside.add(message);
            } else {
                queue.addFirst(message);
            }
        }

        private void goOn() {
            boolean more = true;
            while (more) {
                more = false;
                while (broker.latest().hasRoom() && !queue.isEmpty()) {
                    Message next = queue.remove();
                    unsettled.put(broker.latest().nextId(), next);
                    broker.latest().deliver(next.failed);
                    more = true;
                }
                if (workers.asked() > 0) {
                    workers.runOne();
                    more = true;
                }
            }
        }

        @Override
        public void handle(RabbitDelivery delivery) {
            String id = String.valueOf(delivery.message().message().messageId());
            if (Objects.requireNonNull(unsettled.get(id)).kills) {
                throw new Died();
            }
            goOn();
            delivery.acknowledge();
            unsettled.remove(id);
            handled++;
        }

        @Override
        public void finished(RabbitDelivery delivery) {
            control.finished(delivery);
        }

        @Override
        public void released(RabbitDelivery delivery) {
            control.released(delivery);
        }
    }
}
