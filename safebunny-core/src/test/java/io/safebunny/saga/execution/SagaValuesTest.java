// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.failure.MisuseException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What sagas are given to keep, from messages to the store and back. */
@SuppressWarnings("SameNameButDifferent") // each saga has a state of its own
class SagaValuesTest {

    private static final String ID = "account-1";
    private static final String HALF = "half \ud83d";

    record Open(BigDecimal balance) {}

    record Deposit(BigDecimal amount) {}

    @BunnySaga(name = "Account")
    static class Account {
        record State(BigDecimal balance) {}

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State(open.balance());
        }

        @BunnyHandler(from = "bank")
        State on(Deposit deposit, State state) {
            return new State(state.balance().add(deposit.amount()));
        }
    }

    @BunnySaga(name = "Account", version = 2)
    static class Renamed {
        record State(BigDecimal total) {}

        @Upgrade(from = 1)
        static ObjectNode upgrade(ObjectNode old) {
            old.set("total", old.remove("balance"));
            return old;
        }

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State(open.balance());
        }

        @BunnyHandler(from = "bank")
        State on(Deposit deposit, State state) {
            return new State(state.total().add(deposit.amount()));
        }
    }

    @BunnySaga(name = "Account")
    static class Unsaid {
        record State(BigDecimal total) {}

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State(open.balance());
        }

        @BunnyHandler(from = "bank")
        State on(Deposit deposit, State state) {
            return new State(deposit.amount());
        }
    }

    /** Its list is left out when it is empty, and copied by its constructor. */
    @BunnySaga(name = "Account")
    static class Unreadable {
        record State(
                @JsonInclude(JsonInclude.Include.NON_EMPTY) List<BigDecimal> deposits) {
            State {
                deposits = List.copyOf(deposits);
            }
        }

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State(List.of());
        }

        @BunnyHandler(from = "bank")
        void on(Deposit deposit, State state) {}
    }

    @BunnySaga(name = "Account")
    static class Texts {
        String reason = "";
        String state = "";

        record State(String text) {}

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open, SagaContext saga) {
            if (!reason.isEmpty()) {
                saga.fail(reason);
            }
            return new State(state);
        }

        @BunnyHandler(from = "bank")
        void on(Deposit deposit) {}
    }

    private final SagaWorld world = new SagaWorld();
    private final MemoryMessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));

    @BeforeEach
    void start() {
        world.start("bank", List.of());
    }

    private void deploy(Object saga) {
        world.stop("accounts");
        world.start("accounts", store, List.of(), saga);
        world.settle();
    }

    private void send(Object message) {
        var unused = world.bunny("bank").publish(message, PublishOptions.none().withCorrelationId(ID));
        world.settle();
    }

    private SagaView saga() {
        return world.saga("accounts", ID);
    }

    @Test
    void aCentIsNotLostInALargeBalance() {
        deploy(new Account());
        send(new Open(new BigDecimal("1000000000000000.01")));
        send(new Deposit(new BigDecimal("0.010")));

        assertThat(saga().state()).isEqualTo("{\"balance\":1000000000000000.020}");
    }

    @Test
    void upgradesSeeAllDigits() {
        deploy(new Account());
        send(new Open(new BigDecimal("10000000.00")));
        deploy(new Renamed());
        send(new Deposit(new BigDecimal("0.01")));

        assertThat(saga().state()).isEqualTo("{\"total\":10000000.01}");
    }

    @Test
    void aPatchIsStoredAsItIsWritten() {
        deploy(new Account());
        send(new Open(BigDecimal.ONE));
        world.sagas("accounts").patch("Account", ID, saga().version(), "{\"balance\":1000000000000000.010}", "typo");
        world.settle();

        assertThat(saga().state()).isEqualTo("{\"balance\":1000000000000000.010}");
    }

    @Test
    void aPatchWithAMisspeltFieldIsRefused() {
        deploy(new Account());
        send(new Open(BigDecimal.ONE));
        world.sagas("accounts").patch("Account", ID, saga().version(), "{\"balanse\":2}", "typo");
        world.settle();

        assertThat(saga().state()).isEqualTo("{\"balance\":1}");
        assertThat(saga().history()).last().satisfies(event -> assertThat(event.what())
                .contains("balanse"));
    }

    @Test
    void aMessageWaitsForAnInstanceThatKnowsTheFieldsOfTheState() {
        deploy(new Account());
        send(new Open(BigDecimal.ONE));
        deploy(new Unsaid());
        send(new Deposit(BigDecimal.TEN));
        world.pass(Duration.ofMinutes(10));
        assertThat(saga().state()).isEqualTo("{\"balance\":1}");
        assertThat(world.poison("accounts")).isEmpty();

        deploy(new Account());
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().state()).isEqualTo("{\"balance\":11}");
    }

    enum Level {
        BASIC
    }

    enum NewerLevel {
        BASIC,
        GOLD
    }

    record Leveled<L>(L level, BigDecimal balance) {}

    @BunnySaga(name = "Account")
    static class Older {
        @Starts
        @BunnyHandler(from = "bank")
        Leveled<Level> on(Open open) {
            return new Leveled<>(Level.BASIC, open.balance());
        }

        @BunnyHandler(from = "bank")
        Leveled<Level> on(Deposit deposit, Leveled<Level> state) {
            return new Leveled<>(state.level(), state.balance().add(deposit.amount()));
        }
    }

    @BunnySaga(name = "Account")
    static class Newer {
        @Starts
        @BunnyHandler(from = "bank")
        Leveled<NewerLevel> on(Open open) {
            return new Leveled<>(NewerLevel.GOLD, open.balance());
        }

        @BunnyHandler(from = "bank")
        Leveled<NewerLevel> on(Deposit deposit, Leveled<NewerLevel> state) {
            return new Leveled<>(state.level(), state.balance().add(deposit.amount()));
        }
    }

    @Test
    void aMessageWaitsForAnInstanceThatKnowsTheConstantsOfTheState() {
        deploy(new Newer());
        send(new Open(BigDecimal.ONE));
        deploy(new Older());
        send(new Deposit(BigDecimal.TEN));
        world.pass(Duration.ofMinutes(10));
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(world.poison("accounts")).isEmpty();

        deploy(new Newer());
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().state()).isEqualTo("{\"level\":\"GOLD\",\"balance\":11}");
    }

    @Test
    void aStateThatCouldNotBeReadAgainIsNotStored() {
        deploy(new Unreadable());
        send(new Open(BigDecimal.ONE));
        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("accounts")).hasSize(1).satisfiesExactly(copy -> assertThat(
                        copy.headers().get("x-exception-message"))
                .asString()
                .contains("SB-5012", "cannot be stored and read back"));
        assertThat(world.poison("accounts").get(0).headers()).containsEntry("sb-poison-reason", "handler-failed");
    }

    /** Its methods change it, and one of them does not return it. */
    @BunnySaga(name = "Account")
    static class Changing {
        static class State {
            public BigDecimal balance = BigDecimal.ZERO;
            public List<BigDecimal> deposits = new ArrayList<>();
        }

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State();
        }

        @BunnyHandler(from = "bank")
        void on(Deposit deposit, State state) {
            if (deposit.amount().signum() > 0) {
                state.deposits.add(deposit.amount());
            }
        }
    }

    @Test
    void aVoidMethodThatChangesTheStateIsToldToReturnIt() {
        deploy(new Changing());
        send(new Open(BigDecimal.ONE));
        send(new Deposit(BigDecimal.ZERO));
        assertThat(world.poison("accounts")).isEmpty();

        send(new Deposit(BigDecimal.TEN));

        assertThat(world.poison("accounts")).hasSize(1).satisfiesExactly(copy -> assertThat(
                        copy.headers().get("x-exception-message"))
                .asString()
                .contains("SB-5012", "Changing.on(Deposit, State)", "It must return the state"));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfACharacterIsRefusedWhereItEnters(boolean asReason) {
        Texts texts = new Texts();
        texts.reason = asReason ? HALF : "";
        texts.state = asReason ? "" : HALF;
        deploy(texts);
        send(new Open(BigDecimal.ONE));
        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("accounts")).hasSize(1).satisfiesExactly(copy -> assertThat(
                        copy.headers().get("x-exception-message"))
                .asString()
                .contains("unpaired surrogate"));
    }

    @Test
    void halfACharacterInARepairIsRefused() {
        deploy(new Account());
        send(new Open(BigDecimal.ONE));
        for (Runnable repair : List.<Runnable>of(
                () -> world.sagas("accounts").fail("Account", ID, HALF),
                () -> world.sagas("accounts").skip("Account", ID, HALF, "reason"),
                () -> world.sagas("accounts").patch("Account", ID, 1, "{\"balance\":1,\"x\":\"" + HALF + "\"}", "r"))) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(repair::run)
                    .withMessageContaining("unpaired surrogate");
        }
        world.sagas("accounts").patch("Account", ID, 1, "{\"balance\":1,\"x\":\"\\ud83d\"}", "escaped");
        world.settle();

        assertThat(saga().history()).last().satisfies(event -> assertThat(event.what())
                .contains("unpaired surrogate"));
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    /** As classes tell others, and themselves read from nowhere: sums and questions. */
    @BunnySaga(name = "Account")
    static class Deriving {
        record Entry(BigDecimal amount) {
            public boolean isLarge() {
                return amount.compareTo(BigDecimal.TEN) >= 0;
            }
        }

        record State(List<Entry> entries, Set<Entry> largest) {
            public BigDecimal getTotal() {
                return entries.stream().map(Entry::amount).reduce(BigDecimal.ZERO, BigDecimal::add);
            }

            public boolean isPaid() {
                return !entries.isEmpty();
            }
        }

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State(List.of(), Set.of());
        }

        @BunnyHandler(from = "bank")
        State on(Deposit deposit, State state) {
            List<Entry> entries = new ArrayList<>(state.entries());
            entries.add(new Entry(deposit.amount()));
            return new State(entries, Set.copyOf(entries));
        }
    }

    @Test
    void whatTheStateMakesOfTheRestNeedNotBeRead() {
        deploy(new Deriving());
        send(new Open(BigDecimal.ONE));
        for (int amount = 1; amount <= 12; amount++) {
            send(new Deposit(BigDecimal.valueOf(amount)));
        }

        assertThat(world.poison("accounts")).isEmpty();
        assertThat(saga().state()).contains("\"total\":78", "\"paid\":true", "{\"amount\":12,\"large\":true}");
    }

    /** Of what is written, something comes back otherwise. */
    @BunnySaga(name = "Account")
    static class Losing {
        static class State {
            private final UUID id = UUID.randomUUID();
            public BigDecimal balance = BigDecimal.ZERO;

            public UUID getId() {
                return id;
            }

            public boolean isEmpty() {
                return balance.signum() == 0;
            }
        }

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State();
        }
    }

    @Test
    void whatTheStateLosesIsTold() {
        deploy(new Losing());
        send(new Open(BigDecimal.ONE));

        assertThat(world.poison("accounts")).hasSize(1).satisfiesExactly(copy -> assertThat(
                        copy.headers().get("x-exception-message"))
                .asString()
                .contains("SB-5012", "[id]"));
    }

    /** It tells something else at each moment, of itself and of a part of it. */
    @BunnySaga(name = "Account")
    static class Ageing {
        static class Part {
            public BigDecimal amount = BigDecimal.ZERO;

            public long getNow() {
                return System.nanoTime();
            }
        }

        static class State {
            public Part part = new Part();

            public long getNow() {
                return System.nanoTime();
            }
        }

        @Starts
        @BunnyHandler(from = "bank")
        State on(Open open) {
            return new State();
        }

        @BunnyHandler(from = "bank")
        void on(Deposit deposit, State state) {
            state.part.amount = deposit.amount();
        }
    }

    @Test
    void theClockIsNoChangeOfTheState() {
        deploy(new Ageing());
        send(new Open(BigDecimal.ONE));
        send(new Deposit(BigDecimal.ZERO));
        assertThat(world.poison("accounts")).isEmpty();

        send(new Deposit(BigDecimal.ONE));

        assertThat(world.poison("accounts")).hasSize(1).satisfiesExactly(copy -> assertThat(
                        copy.headers().get("x-exception-message"))
                .asString()
                .contains("SB-5012", "It must return the state"));
    }
}
