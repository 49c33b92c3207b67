// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.encryption.Encrypted;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** What handlers can still read about people. Thread-safe. */
final class Customers {

    private final boolean works;
    private final CustomerSaga sagas = new CustomerSaga();
    /** How often, by customer, way and number. */
    private final Map<String, Integer> read = new ConcurrentHashMap<>();

    /** @param works whether it takes messages; otherwise it sets them aside */
    Customers(boolean works) {
        this.works = works;
    }

    /** Where a message waits. */
    enum Way {
        QUEUED(3),
        DELAYED(2),
        SCHEDULED(1),
        POISON(2),
        OUTBOX(1);

        private final int each;

        Way(int each) {
            this.each = each;
        }

        /** Number of messages of one person. */
        int each() {
            return each;
        }

        /** Number of messages of one person in all ways. */
        static int all() {
            return Stream.of(values()).mapToInt(Way::each).sum();
        }
    }

    @Encrypted(key = KeyFile.NAME, subject = "customer")
    record Charged(String customer, Way way, int number, String canary) {

        static Charged of(String customer, Way way, int number) {
            return new Charged(customer, way, number, Customers.canary(customer));
        }
    }

    @Encrypted(key = KeyFile.NAME, subject = "customer")
    record Begun(String customer, String canary) {

        static Begun of(String customer) {
            return new Begun(customer, Customers.canary(customer));
        }
    }

    /** Says nothing of the person, but wakes what does. */
    record Next(String ignored) {}

    private static String canary(String customer) {
        return "canary of " + customer;
    }

    /** Keeps what it knows of a person in its state. Thread-safe. */
    @BunnySaga
    static final class CustomerSaga {

        private final AtomicInteger begun = new AtomicInteger();
        private final Map<String, Integer> read = new ConcurrentHashMap<>();

        @Encrypted(key = KeyFile.NAME, subject = "customer")
        record State(String customer, String canary) {}

        @Starts
        @BunnyHandler(from = "${desk}")
        State on(Begun message) {
            begun.incrementAndGet();
            return new State(message.customer(), message.canary());
        }

        @BunnyHandler(from = "${desk}")
        void on(Next message, State state) {
            read.merge(state.canary(), 1, Integer::sum);
        }

        int begun() {
            return begun.get();
        }

        int runs() {
            return sum(read);
        }

        int distinct() {
            return read.size();
        }
    }

    void on(Charged charged, MessageContext context) {
        String canary = context.once("authorize", String.class, charged::canary);
        if (!works) {
            throw new PoisonMessageException("not repaired");
        }
        read.merge(canary + ": " + charged.way() + ' ' + charged.number(), 1, Integer::sum);
    }

    CustomerSaga sagas() {
        return sagas;
    }

    int runs() {
        return sum(read);
    }

    int distinct() {
        return read.size();
    }

    boolean wasRead(String customer) {
        String canary = canary(customer);
        return sagas.read.containsKey(canary) || read.keySet().stream().anyMatch(each -> each.startsWith(canary + ':'));
    }

    private static int sum(Map<String, Integer> runs) {
        return runs.values().stream().mapToInt(Integer::intValue).sum();
    }
}
