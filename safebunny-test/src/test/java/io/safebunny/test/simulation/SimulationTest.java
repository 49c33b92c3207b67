// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.test.simulation.run.Event;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Finding;
import io.safebunny.test.simulation.run.NotDeterministicException;
import io.safebunny.test.simulation.run.Place;
import io.safebunny.test.simulation.run.Point;
import io.safebunny.test.simulation.run.RunJournal;
import io.safebunny.test.simulation.run.RunReport;
import io.safebunny.test.simulation.run.Schedule;
import io.safebunny.test.simulation.run.Violation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("once")
class SimulationTest {

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    private static final Event CRASH_AFTER_EFFECT =
            new Event(new Point("billing-1", Place.AFTER_EFFECT, "charge 7", 1), Fault.CRASH);

    @Test
    void stepsWithKeysAreDoneOnceWhateverGoesWrong() {
        assertThat(Simulation.of(Orders::declare).explore(1_500, 1)).isNull();
    }

    @Test
    void ofSeveralAnswersOneCountsWhateverGoesWrong() {
        assertThat(Simulation.of(Decisions::declare).explore(1_500, 1)).isNull();
    }

    @Test
    void logsNothingWhileItExploresAndAsBeforeAfterwards() {
        log.setLevel(Level.DEBUG);

        assertThat(Simulation.of(system -> {
                            Orders.declare(system);
                            system.holds("nothing is logged", () -> assertThat(log.getLevel())
                                    .isEqualTo(Level.OFF));
                        })
                        .explore(10, 1))
                .isNull();
        assertThat(log.getLevel()).isEqualTo(Level.DEBUG);
    }

    @Test
    void aFindingIsTheSameEachTime() {
        Simulation simulation = Simulation.of(Orders::declareWithoutKey);

        assertThat(simulation.explore(100, 1)).isNotNull().isEqualTo(simulation.explore(100, 1));
    }

    @Test
    void aReportShowsTheWayAndATestThatGoesIt() {
        Finding finding = found(Simulation.of(Orders::declareWithoutKey).explore(100, 1));

        assertThat(finding.schedule().events()).containsExactly(CRASH_AFTER_EFFECT);
        assertThat(finding.report())
                .contains("each order is charged, shipped and told of once")
                .contains("crash when billing-1 has done charge 7")
                .contains("sequenceDiagram")
                .contains("Note over billing_1: crash at 0.0 s, when it has done charge 7")
                .contains("participant billing_1_2 as billing-1'2")
                .contains("broker->>billing_1_2: OrderPlaced")
                .contains("\"1 instance of billing\",")
                .contains("\"billing-1 | AFTER_EFFECT | charge 7 | 1 | CRASH\"));");
        assertThat(Schedule.read(finding.schedule().write().toArray(String[]::new)))
                .isEqualTo(finding.schedule());
    }

    @Test
    void whatAViolationDoesNotNeedIsLeftOut() {
        Simulation simulation = Simulation.of(SimulationTest::declareTwoOrders);
        Schedule schedule = found(simulation.explore(100, 1)).schedule();

        assertThat(schedule.write())
                .containsExactly(
                        "without message 2: OrderPlaced of order-8",
                        "1 instance of billing",
                        "1 instance of notifications",
                        "1 instance of shipping",
                        CRASH_AFTER_EFFECT.write());
        assertThatThrownBy(() -> simulation.replay(schedule))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("- without message 2: OrderPlaced of order-8")
                .hasMessageNotContaining("charge 8");
    }

    private static void declareTwoOrders(SimulatedSystem system) {
        system.node("billing", 3, node -> List.of(new Orders.WithoutKey(node)))
                .node("shipping", 2, node -> List.of(new Orders.Shipping(node)))
                .node("notifications", 2, node -> List.of(new Orders.Notifications(node)))
                .publish("storefront", new Orders.OrderPlaced("7"), "order-7")
                .publish("storefront", new Orders.OrderPlaced("8"), "order-8")
                .holds(
                        "nothing is done twice",
                        () -> assertThat(system.effects().all().values()).containsOnly(1));
    }

    /** Or a report would tell of a system in which nothing can hold. */
    @Test
    void whatMustHappenIsNotLeftOut() {
        Finding finding = found(Simulation.of(system -> {
                    declareTwoOrders(system);
                    system.holds(
                            "both are charged",
                            () -> assertThat(system.effects().all()).containsKeys("charge 7", "charge 8"));
                })
                .explore(100, 1));

        assertThat(finding.schedule().cut().messages()).isEmpty();
        assertThat(finding.schedule().cut().instances()).containsEntry("billing", 1);
    }

    @Test
    void aReplayFailsWithTheReport() {
        Schedule schedule = new Schedule(List.of(CRASH_AFTER_EFFECT));

        assertThatThrownBy(() -> Simulation.of(Orders::declareWithoutKey).replay(schedule))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("sequenceDiagram");
        Simulation.of(Orders::declare).replay(schedule);
    }

    @Test
    void theSameScheduleIsTheSameRunInAnotherProcess() throws Exception {
        assertThat(fingerprintsOfAnotherProcess()).isEqualTo(Fingerprints.all());
    }

    private static String fingerprintsOfAnotherProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fingerprints.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return printed.lines().reduce((first, last) -> last).orElseThrow();
    }

    @Test
    void whatDependsOnMoreThanTheScheduleIsRefused() {
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(() -> Simulation.of(
                                system -> system.node("billing", 1, node -> List.of(new Differing(node, runs)))
                                        .publish("storefront", new Orders.OrderPlaced("7"), "order-7"))
                        .explore(10, 1))
                .isInstanceOf(NotDeterministicException.class)
                .hasMessageContaining("charge 7 number");
    }

    @Test
    void aHandlerThatUsesAnotherThreadIsNamed() {
        Finding finding = found(withBilling(node -> new Threading(node, SimulationTest::inAThread))
                .explore(10, 1));

        assertThat(finding.violation().invariant()).isEqualTo("handlers use no threads of their own");
        assertThat(finding.violation().details()).contains("billing").contains("a thread of the handler");
    }

    @Test
    void aHandlerThatWaitsInRealTimeIsNamed() {
        Finding finding = found(withBilling(unused -> new Waiting()).explore(10, 1));

        assertThat(finding.violation().invariant()).isEqualTo("everything comes to an end");
        assertThat(finding.violation().details()).contains("real time").contains(Waiting.class.getName());
    }

    @Test
    void aReplayThatDoesNotHappenAnyMoreFails() {
        Schedule schedule = Schedule.read("accounting | AFTER_EFFECT | charge 8 | 1 | CRASH");

        assertThatThrownBy(() -> Simulation.of(Orders::declare).replay(schedule))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("crash when accounting has done charge 8");
    }

    @Test
    void aSystemInWhichNothingHappensIsRefused() {
        assertThatThrownBy(() -> Simulation.of(system -> system.node("billing", 1, node -> List.of(new Waiting())))
                        .explore(10, 1))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("publish a message");
    }

    @Test
    void aMessageThatNobodyHandlesIsNamed() {
        Finding finding =
                found(Simulation.of(system -> system.node("billing", 1, node -> List.of(new Orders.Billing(node)))
                                .publish("storefront", new Orders.OrderPlaced("7"), "order-7"))
                        .explore(1, 1));

        assertThat(finding.violation().details()).contains("PaymentCaptured").contains("Does a node handle that?");
    }

    @Test
    void nodesWithSimilarNamesAreNotMixedUp() {
        assertThat(Simulation.of(system -> {
                            system.node("billing-archive", 1, node -> List.of(new Archive(node)));
                            Orders.declare(system, Orders.Billing::new, "archive 7");
                        })
                        .explore(20, 1))
                .isNull();
    }

    @Test
    void schedulesArePositive() {
        assertThatThrownBy(() -> Simulation.of(Orders::declare).explore(0, 1))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("schedules=0");
    }

    @Test
    void aMessageThatGoesRoundForEverIsNamed() {
        Finding finding = found(Simulation.of(system -> system.node("billing", 1, node -> List.of(new Looping(node)))
                        .publish("billing", new Orders.OrderPlaced("7"), "order-7"))
                .explore(10, 1));

        assertThat(finding.violation().invariant()).isEqualTo("everything comes to an end");
    }

    @Test
    void aMessageThatIsSetAsideIsNamed() {
        Finding finding = found(withBilling(unused -> new Refusing()).explore(10, 1));

        assertThat(finding.violation().invariant()).isEqualTo("no message is set aside");
        assertThat(finding.violation().details()).contains("OrderPlaced of order-7");
    }

    @Test
    void unreadableEventsAreRefused() {
        assertThatThrownBy(() -> Schedule.read("billing | NOWHERE | x | 1 | CRASH"))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("'NOWHERE'")
                .hasMessageContaining("AFTER_EFFECT");
        assertThatThrownBy(() -> Schedule.read("crash"))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("process | place | subject | occurrence | fault");
        assertThatThrownBy(() -> Schedule.read("0 instances of billing"))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("billing=0");
    }

    @Test
    void aSubjectMayContainAnything() {
        Event odd = new Event(new Point("billing-1", Place.AFTER_EFFECT, "charge | \"7\"\n8 | 1 | x", 2), Fault.CRASH);
        Schedule schedule = new Schedule(List.of(odd));

        assertThat(Schedule.read(schedule.write().toArray(String[]::new))).isEqualTo(schedule);
        assertThat(RunReport.test(schedule, null)).contains("charge | \\\"7\\\"\\n8 | 1 | x | 2 | CRASH");
    }

    @Test
    void aFaultThatIsMisspeltIsRefusedWithAllThereAre() {
        assertThatThrownBy(() -> Schedule.read("billing | AFTER_EFFECT | charge 7 | 1 | CRSH"))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("'CRSH'")
                .hasMessageContaining("CRASH, FAIL, INTERRUPT");
    }

    @Test
    void anExceptionInACheckSaysWhereItWasThrown() {
        Finding finding = found(Simulation.of(system -> {
                    Orders.declare(system);
                    system.holds(
                            "the books are right", () -> List.of().iterator().next());
                })
                .explore(1, 1));

        assertThat(finding.violation().details())
                .startsWith("java.util.NoSuchElementException")
                .contains("at java.base/java.util");
    }

    /** Or a loop of messages would print a hundred thousand lines. */
    @Test
    void aLongReportIsShortened() {
        List<RunJournal.Entry> journal = IntStream.range(0, 5_000)
                .mapToObj(i -> new RunJournal.Entry(
                        Duration.ZERO, new Point("billing", Place.AFTER_EFFECT, "charge " + i, 1), null))
                .toList();

        assertThat(RunReport.of(new Violation("it ends", "it does not"), Schedule.CLEAN, journal, ""))
                .contains("charge 99\n", "4800 more", "charge 4900\n", "charge 4999\n")
                .doesNotContain("charge 100\n", "charge 4899\n");
    }

    @Test
    void aReplayOfASystemThatHasChangedFails() {
        assertThatThrownBy(() -> Simulation.of(Orders::declare)
                        .replay(Schedule.read(
                                "without message 1: OrderPlaced of order-8",
                                "without message 2: OrderPlaced of order-7",
                                "1 instance of accounting",
                                "2 instances of billing",
                                "1 instance of shipping")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        "[schedule=[without message 1: OrderPlaced of order-8, without message 2: OrderPlaced of order-7, 1 instance of accounting, 2 instances of billing]]");
    }

    @Test
    void nodesAreDeclaredOnceAndWithAFewInstances() {
        Consumer<SimulatedSystem> twice =
                system -> system.node("billing", 1, node -> List.of()).node("billing", 1, node -> List.of());
        assertThatThrownBy(() -> Simulation.of(twice).explore(1, 1))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("node=billing");
        assertThatThrownBy(() -> Simulation.of(system -> system.node("billing", 0, node -> List.of()))
                        .explore(1, 1))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("instances=0");
    }

    private static Simulation withBilling(Function<SimulatedNode, Object> billing) {
        return Simulation.of(system -> Orders.declare(system, billing));
    }

    private static Finding found(@Nullable Finding finding) {
        assertThat(finding).isNotNull();
        return java.util.Objects.requireNonNull(finding);
    }

    record Differing(SimulatedNode node, AtomicInteger runs) {
        @BunnyHandler(from = "storefront")
        void on(Orders.OrderPlaced placed, MessageContext context) {
            node.perform("charge 7 number " + runs.incrementAndGet(), context.messageId());
        }
    }

    record Threading(SimulatedNode node, Consumer<Runnable> elsewhere) {
        @BunnyHandler(from = "storefront")
        void on(Orders.OrderPlaced placed) {
            elsewhere.accept(() -> node.bunny().publish(new Orders.PaymentCaptured("7")));
        }
    }

    private static void inAThread(Runnable task) {
        Thread thread = new Thread(task, "a thread of the handler");
        thread.setUncaughtExceptionHandler((same, failure) -> {});
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static final class Waiting {
        @BunnyHandler(from = "storefront")
        void on(Orders.OrderPlaced placed) throws InterruptedException {
            new java.util.concurrent.CountDownLatch(1).await();
        }
    }

    record Archive(SimulatedNode node) {
        @BunnyHandler(from = "billing")
        void on(Orders.PaymentCaptured captured, MessageContext context) {
            node.perform("archive " + captured.order(), context.messageId());
        }
    }

    record Looping(SimulatedNode node) {
        @BunnyHandler(from = "billing")
        void on(Orders.OrderPlaced placed) {
            var unused = node.bunny().publish(placed);
        }
    }

    static final class Refusing {
        @BunnyHandler(from = "storefront")
        void on(Orders.OrderPlaced placed) {
            if (placed.order().equals("7")) {
                throw new IllegalStateException("never");
            }
        }
    }
}
