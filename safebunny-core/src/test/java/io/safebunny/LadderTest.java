// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The layered design: a package uses only packages above it in this list. */
class LadderTest {

    /** From the first, which uses none of the others, to the last, which may use all; printed in ARCHITECTURE.md. */
    static final String[] LADDER = {
        "failure",
        "", // the root: what users import every day
        "message",
        "spi.identity",
        "identity",
        "time",
        "work",
        "spi.serialization",
        "serialization",
        "spi.codec",
        "codec",
        "middleware",
        "pipeline",
        "observation",
        "topology",
        "quarantine",
        "spi.transport",
        "recovery",
        "breaker",
        "spi.store",
        "store.memory",
        "handler",
        "spi.outbox",
        "handling",
        "publishing",
        "dedup",
        "consuming",
        "transport.memory",
        "transport.rabbit.client",
        "transport.rabbit.publish",
        "transport.rabbit.consume",
        "transport.rabbit",
        "engine",
    };

    private static final String ROOT = "io.safebunny";
    private static final Pattern EMPTY_NAMES = Pattern.compile(".*(Impl|Manager|Helper|Utils?|Base|Data|Info)");
    /** Clocks, waits with a timeout, and randomness: a simulation decides on all of them. */
    private static final Pattern DIFFERS_FROM_RUN_TO_RUN = Pattern.compile("("
            + "java\\.lang\\.System\\.(currentTimeMillis|nanoTime)\\(.*"
            + "|java\\.time\\.\\w+\\.now\\(.*"
            + "|java\\.time\\.Clock\\.(system|tick).*"
            + "|java\\.util\\.Date\\.<init>\\(\\) .*"
            + "|java\\.lang\\.Thread\\.(sleep|join)\\(.*"
            + "|java\\.lang\\.Object\\.wait\\(.*"
            + "|java\\.util\\.concurrent\\.locks\\.LockSupport\\.park.*"
            + "|java\\.util\\.concurrent\\.TimeUnit\\.(sleep|timedWait|timedJoin)\\(.*"
            + "|java\\.util\\.concurrent\\.CompletableFuture\\.(orTimeout|completeOnTimeout|delayedExecutor)\\(.*"
            + "|java\\.util\\.concurrent\\.\\S+\\.(await\\w*|try\\w+|get|poll\\w*|offer\\w*|invokeA\\w+|exchange)"
            + "\\((.*, )?(long|java\\.time\\.Duration|java\\.util\\.Date|long, java\\.util\\.concurrent\\.TimeUnit)\\).*"
            + "|java\\.util\\.UUID\\.randomUUID\\(.*"
            + "|java\\.util\\.concurrent\\.ThreadLocalRandom\\..*"
            + "|java\\.util\\.(Splittable)?Random\\.<init>\\(.*"
            + "|java\\.util\\.random\\.RandomGenerator\\.(getDefault|of)\\(.*"
            + "|java\\.security\\.SecureRandom\\.(<init>|getInstance\\w*)\\(.*"
            + "|java\\.lang\\.Math\\.random\\(.*)");

    /** Waits for a lock that only the real clock can give up. */
    private static final String UNTIL_IT_HAS_A_LOCK_OF_ITS_OWN = "io.safebunny.dedup.SuspectLock.enter(";

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(Bunny.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void usesOnlyPackagesFurtherUpTheLadder() {
        Set<String> violations = CORE.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isOurs(dependency.getTargetClass()))
                .filter(dependency -> rung(dependency.getTargetClass()) > rung(dependency.getOriginClass()))
                .map(Dependency::getDescription)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(violations).isEmpty();
    }

    @Test
    void placesEveryPackageOnTheLadderAndEveryRungHasOne() {
        Set<String> packages = CORE.stream().map(LadderTest::packageOf).collect(Collectors.toSet());

        assertThat(packages).containsExactlyInAnyOrder(LADDER);
    }

    @Test
    void hasNoPackageCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void knowsTheBrokerClientInOnePackageOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".transport.rabbit..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.rabbitmq..", "org.springframework.amqp..")
                .check(CORE);
    }

    @Test
    void knowsNothingOfSpringBoot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot..")
                .check(CORE);
    }

    @Test
    void asksTheTimeAndWaitsAndMakesRandomNumbersInOnePackageOnly() {
        Set<String> violations = CORE.stream()
                .filter(type -> !packageOf(type).equals("time"))
                .flatMap(type -> type.getCodeUnits().stream())
                .flatMap(unit -> callsOf(unit))
                .filter(call -> DIFFERS_FROM_RUN_TO_RUN.matcher(call).matches())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(violations).allMatch(call -> call.contains(" <- " + UNTIL_IT_HAS_A_LOCK_OF_ITS_OWN));
    }

    /** {@code owner.method(parameters) <- caller}; method references count as calls. */
    private static Stream<String> callsOf(JavaCodeUnit unit) {
        return Stream.concat(
                        Stream.concat(
                                unit.getMethodCallsFromSelf().stream(), unit.getMethodReferencesFromSelf().stream()),
                        Stream.concat(
                                unit.getConstructorCallsFromSelf().stream(),
                                unit.getConstructorReferencesFromSelf().stream()))
                .map(access -> access.getTarget().getFullName() + " <- " + unit.getFullName());
    }

    @Test
    void writesNothingToTheConsole() {
        Set<String> violations = CORE.stream()
                .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getTargetOwner().isEquivalentTo(System.class))
                .map(JavaFieldAccess::getDescription)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(violations).isEmpty();
    }

    @Test
    void marksEveryPackageAsNullMarked() {
        Set<String> unmarked = CORE.stream()
                .map(JavaClass::getPackage)
                .filter(owner -> !owner.tryGetPackageInfo()
                        .map(info -> info.isAnnotatedWith(NullMarked.class))
                        .orElse(false))
                .map(owner -> owner.getName())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(unmarked).isEmpty();
    }

    @Test
    void givesClassesNamesThatSaySomething() {
        List<String> empty = CORE.stream()
                .map(JavaClass::getSimpleName)
                .filter(name -> EMPTY_NAMES.matcher(name).matches())
                .toList();

        assertThat(empty).isEmpty();
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
    }

    private static String packageOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    private static int rung(JavaClass type) {
        int rung = Arrays.asList(LADDER).indexOf(packageOf(type));
        assertThat(rung).as("rung of package '%s'", packageOf(type)).isNotNegative();
        return rung;
    }
}
