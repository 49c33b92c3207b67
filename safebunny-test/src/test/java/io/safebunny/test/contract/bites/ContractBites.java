// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.bites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A rule that no fault breaks proves nothing, so there is one for each. */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class ContractBites {

    /** They mostly wait. */
    private static final int AT_ONCE = 16;

    private final Class<?> contract;
    private final Class<?> faulty;
    private final List<? extends Fault<?, ?>> faults;
    private final Map<Fault<?, ?>, Results> results = new ConcurrentHashMap<>();

    /** @param faulty the contract, of whatever fault is current */
    protected ContractBites(Class<?> contract, Class<?> faulty, Faults<?, ?>... groups) {
        this.contract = contract;
        this.faulty = faulty;
        this.faults = Stream.of(groups).flatMap(Faults::stream).toList();
    }

    @BeforeAll
    void runTheContractWithEachFault() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<? extends Future<?>> runs = faults.stream()
                    .map(fault -> threads.submit(() -> fault.runWith(() -> results.put(fault, run()))))
                    .toList();
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Results run() {
        Results run = new Results();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(faulty))
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        run);
        return run;
    }

    @TestFactory
    Stream<DynamicTest> eachFaultIsFoundByTheRuleItBreaksAndByNoOther() {
        return faults.stream()
                .map(fault -> dynamicTest(fault.name(), () -> {
                    Results found = Objects.requireNonNull(results.get(fault));
                    assertThat(found.run).containsAll(rules(contract));
                    assertThat(found.failures.keySet())
                            .as(() -> "rules that failed: " + found.failures)
                            .containsExactlyInAnyOrderElementsOf(fault.rules());
                    assertThat(fault.calls().missing())
                            .as("sabotaged, and never called")
                            .isEmpty();
                }));
    }

    /** Each by a fault that breaks no other. But for the rules of the contract that this one extends. */
    @Test
    void everyRuleIsBroken() {
        List<String> inherited = rules(contract.getSuperclass());
        assertThat(faults.stream()
                        .map(Fault::rules)
                        .filter(rules -> rules.size() == 1)
                        .map(rules -> rules.get(0))
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(rules(contract).stream()
                        .filter(rule -> !inherited.contains(rule))
                        .toList());
    }

    /** Otherwise a report does not tell which one it was. */
    @Test
    void noTwoFaultsHaveOneName() {
        assertThat(faults).extracting(Fault::name).doesNotHaveDuplicates();
    }

    private static List<String> rules(Class<?> contract) {
        return Stream.of(contract.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(Method::getName)
                .toList();
    }

    /** Which rules ran, and which failed why. */
    private static final class Results implements TestExecutionListener {

        private final Set<String> run = new TreeSet<>();
        private final Map<String, String> failures = new TreeMap<>();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.getSource().orElse(null) instanceof MethodSource source) {
                run.add(source.getMethodName());
                if (result.getStatus() != Status.SUCCESSFUL) {
                    failures.put(
                            source.getMethodName(),
                            String.valueOf(result.getThrowable().orElse(null)));
                }
            }
        }
    }
}
