// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.test.broker.TestBroker;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A network that drops the publishing connection again and again. The numbers are for a run by hand that takes longer. */
@Timeout(900)
class CutOftenIT {

    private static final Logger LOG = LoggerFactory.getLogger(CutOftenIT.class);
    private static final int MESSAGES = Integer.getInteger("safebunny.cut-often.messages", 50_000);
    private static final int CUT_EVERY_MILLIS = Integer.getInteger("safebunny.cut-often.millis", 500);
    /**
     * Confirmed between two cuts: at least so many however slow the machine is, and at most so many however fast. More than may be
     * in flight, or new messages alone could bring about each cut, and those that were lost before would starve.
     */
    private static final int LEAST = Math.max(ProxiedPublisher.MAX_IN_FLIGHT + 1, MESSAGES / 100);

    private static final int MOST = MESSAGES / 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int THREADS = 4;
    private static final int CHANNELS = 8;

    private final TestBroker broker = TestBroker.shared();
    private final ProxiedPublisher publisher = new ProxiedPublisher(broker, CHANNELS, TIMEOUT).start();
    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicInteger confirmed = new AtomicInteger();

    @AfterEach
    void cleanUp() {
        publisher.deleteAll();
        publisher.close();
    }

    @Test
    void losesNothingAndLeaksNothing() throws Exception {
        assumeTrue(broker.managementUri().isPresent(), "Needs the broker's management, to count its channels");
        int channelsBefore = new Administration(broker).channels();
        CompletableFuture<Integer> cuts = CompletableFuture.supplyAsync(this::cutUntilDone, publisher.threads);
        ConfirmedSender sender = publisher.sender();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        long start = System.nanoTime();

        List<CompletableFuture<Void>> senders = IntStream.range(0, THREADS)
                .mapToObj(thread -> CompletableFuture.runAsync(
                        () -> {
                            for (int i = thread; i < MESSAGES; i += THREADS) {
                                CompletableFuture<Void> unused = sender.send(publisher.message("id-" + i))
                                        .whenComplete((none, failure) -> {
                                            if (failure == null) {
                                                confirmed.incrementAndGet();
                                            } else {
                                                failures.add(failure);
                                            }
                                        });
                            }
                        },
                        publisher.threads))
                .toList();
        senders.forEach(CompletableFuture::join);
        await().atMost(TIMEOUT.plusSeconds(30)).until(() -> confirmed.get() + failures.size() == MESSAGES);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        done.countDown();

        assertThat(failures).isEmpty();
        assertThat(cuts.get()).isGreaterThanOrEqualTo(3);
        assertThat(publisher.send("still works")).succeedsWithin(Duration.ofSeconds(30));
        assertThat(live("io.safebunny.rabbit.publish.Pending")).isZero();
        assertThat(live("io.safebunny.rabbit.publish.PublisherChannel")).isBetween(1, CHANNELS);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(new Administration(broker).channels() - channelsBefore)
                        .isLessThanOrEqualTo(CHANNELS));
        List<String> ids = publisher.idsInQueue();
        LOG.info(
                "{} messages in {} ms with {} cuts: {} in the queue, heap {} MB",
                MESSAGES,
                millis,
                cuts.get(),
                ids.size(),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20);
        assertThat(new HashSet<>(ids)).hasSize(MESSAGES + 1);
    }

    /** A fixed time after each connect, but not before some of it was used: cut faster than it confirms, nobody would get anywhere. */
    private int cutUntilDone() {
        int cuts = 0;
        try {
            long connected = System.nanoTime();
            int before = confirmed.get();
            while (!done.await(5, TimeUnit.MILLISECONDS)) {
                int since = confirmed.get() - before;
                boolean isTime = System.nanoTime() - connected >= TimeUnit.MILLISECONDS.toNanos(CUT_EVERY_MILLIS);
                if (since >= MOST || (isTime && since >= LEAST)) {
                    publisher.proxy.cut();
                    cuts++;
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> publisher.transport.status().usable());
                    connected = System.nanoTime();
                    before = confirmed.get();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return cuts;
    }

    /** Instances that are still reachable, after a full collection. */
    private static int live(String type) throws JMException, ClassNotFoundException {
        Class.forName(type); // renamed, it would be counted as zero
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        Matcher found = Pattern.compile("(\\d+) +\\d+ +" + Pattern.quote(type) + "( |$)", Pattern.MULTILINE)
                .matcher(histogram);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }
}
