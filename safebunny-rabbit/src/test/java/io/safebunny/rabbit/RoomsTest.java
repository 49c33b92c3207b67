// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.safebunny.rules.TimeRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rooms of this module: what publishes and what consumes do not know each other, and neither knows what is declared. */
class RoomsTest {

    private static final String ROOT = "io.safebunny.rabbit";

    /** Each room and the rooms it may use, as in ARCHITECTURE.md; the root puts them together. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "guard", Set.of(),
            "connection", Set.of("guard"),
            "publish", Set.of("connection"),
            "work", Set.of("connection"),
            "consume", Set.of("work", "connection"),
            "topology", Set.of("publish", "connection"),
            "preflight", Set.of("topology", "connection"),
            "", Set.of("topology", "publish", "consume", "connection"));

    private static final JavaClasses RABBIT = new ClassFileImporter()
            .importUrl(
                    RabbitTransport.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void eachRoomUsesOnlyThoseItMay() {
        Set<String> violations = RABBIT.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isOurs(dependency.getTargetClass()))
                .filter(dependency -> !mayUse(room(dependency.getOriginClass()), room(dependency.getTargetClass())))
                .map(Dependency::getDescription)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(violations).isEmpty();
    }

    private static boolean mayUse(String room, String other) {
        return room.equals(other) || MAY_USE.getOrDefault(room, Set.of()).contains(other);
    }

    @Test
    void everyRoomIsKnown() {
        assertThat(RABBIT.stream().map(RoomsTest::room).collect(Collectors.toSet()))
                .isEqualTo(MAY_USE.keySet());
    }

    @Test
    void hasNoPackageCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(RABBIT);
    }

    @Test
    void knowsNothingOfSpringBoot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot..")
                .check(RABBIT);
    }

    @Test
    void asksTheTimeAndWaitsAndMakesRandomNumbersThroughTheTimelineOnly() {
        assertThat(TimeRule.violations(RABBIT.stream())).isEmpty();
    }

    @Test
    void marksEveryPackageAsNullMarked() {
        Set<String> unmarked = RABBIT.stream()
                .map(JavaClass::getPackage)
                .filter(owner -> !owner.tryGetPackageInfo()
                        .map(info -> info.isAnnotatedWith(NullMarked.class))
                        .orElse(false))
                .map(owner -> owner.getName())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(unmarked).isEmpty();
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
    }

    private static String room(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }
}
