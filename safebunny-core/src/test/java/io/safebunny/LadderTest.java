// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.rules.TimeRule;
import java.net.URL;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The layered design: a package uses only packages above it in this list. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LadderTest {

    /** From the first, which uses none of the others, to the last, which may use all; printed in ARCHITECTURE.md. */
    static final String[] LADDER = {
        "failure",
        "failure.details",
        "", // the root: what users import every day
        "message",
        "identity",
        "time",
        "concurrency",
        "encryption",
        "bodies",
        "serialization",
        "serialization.json",
        "middleware",
        "saga",
        "story",
        "poison",
        "actuate",
        "observation",
        "topology",
        "transport",
        "failure.policy",
        "breaker",
        "store.record",
        "store",
        "order.lane",
        "rate",
        "handler",
        "handler.scanning",
        "handling.publications",
        "handling",
        "publishing",
        "node",
        "rate.leasing",
        "dedup.dispatch",
        "dedup.claim",
        "dedup.lease",
        "dedup.transaction",
        "dedup",
        "scheduling",
        "saga.document",
        "saga.execution",
        "saga.management",
        "operations.questions",
        "operations",
        "poison.wanted",
        "story.exchange",
        "story.search",
        "story.telling",
        "validation",
        "poison.queue",
        "consuming",
        "order.sharding",
        "order.draining",
        "poison.elsewhere",
        "poison.replay",
        "keys",
        "incident.writing",
        "incident",
        "upgrade",
        "memory",
        "doubles",
        "engine",
    };

    private static final String ROOT = "io.safebunny";

    /** Where the implementations of {@code Timeline} are. */
    private static final Set<String> TIMELINES = Set.of("time", "doubles");

    private static final Pattern EMPTY_NAMES = Pattern.compile(".*(Impl|Manager|Helper|Utils?|Base|Data|Info)");

    /** {@code safebunny-api} and {@code safebunny-core}. */
    private static final List<URL> MODULES = List.of(moduleOf(Bunny.class), moduleOf(SafeBunnyEngine.class));

    /** Hundreds of megabytes, which the tests after these need. */
    private final JavaClasses core = new ClassFileImporter().importUrls(MODULES);

    private static URL moduleOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void usesOnlyPackagesFurtherUpTheLadder() {
        Set<String> violations = core.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isOurs(dependency.getTargetClass()))
                .filter(dependency -> rung(dependency.getTargetClass()) > rung(dependency.getOriginClass()))
                .map(Dependency::getDescription)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(violations).isEmpty();
    }

    @Test
    void placesEveryPackageOnTheLadderAndEveryRungHasOne() {
        Set<String> packages = core.stream().map(LadderTest::packageOf).collect(Collectors.toSet());

        assertThat(packages).containsExactlyInAnyOrder(LADDER);
    }

    /** The module path allows no package in two. */
    @Test
    void hasEachPackageInOneModule() {
        List<String> packages = MODULES.stream()
                .flatMap(module -> new ClassFileImporter()
                        .importUrl(module).stream().map(LadderTest::packageOf).distinct())
                .toList();

        assertThat(packages).doesNotHaveDuplicates();
    }

    @Test
    void hasNoPackageCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(core);
    }

    @Test
    void knowsNoBrokerClient() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.rabbitmq..", "org.springframework.amqp..")
                .check(core);
    }

    @Test
    void knowsNothingOfSpringBoot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot..")
                .check(core);
    }

    @Test
    void asksTheTimeAndWaitsAndMakesRandomNumbersInTimelinesOnly() {
        assertThat(TimeRule.violations(core.stream().filter(type -> !TIMELINES.contains(packageOf(type)))))
                .isEmpty();
    }

    @Test
    void writesNothingToTheConsole() {
        Set<String> violations = core.stream()
                .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getTargetOwner().isEquivalentTo(System.class))
                .map(JavaFieldAccess::getDescription)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(violations).isEmpty();
    }

    @Test
    void marksEveryPackageAsNullMarked() {
        Set<String> unmarked = core.stream()
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
        List<String> empty = core.stream()
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
