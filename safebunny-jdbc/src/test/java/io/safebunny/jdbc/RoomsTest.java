// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.safebunny.rules.TimeRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The rooms of this module: store and outbox do not know each other. */
class RoomsTest {

    private static final String ROOT = "io.safebunny.jdbc.";

    /** Each room and the rooms it may use, as in ARCHITECTURE.md. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "sql", Set.of(),
            "search", Set.of("sql"),
            "store", Set.of("sql", "search", "store.rows"),
            "store.rows", Set.of("sql", "search"),
            "outbox", Set.of("sql", "search", "outbox.rows"),
            "outbox.rows", Set.of("sql", "search"),
            "subjects", Set.of("sql"),
            "bodies", Set.of("sql"),
            "autoconfigure", Set.of("sql", "store", "outbox", "subjects", "bodies"));

    private static final JavaClasses JDBC = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT.substring(0, ROOT.length() - 1));

    @Test
    void eachRoomUsesOnlyThoseItMay() {
        Set<String> violations = JDBC.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency ->
                        dependency.getTargetClass().getPackageName().startsWith(ROOT))
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
        assertThat(JDBC.stream().map(RoomsTest::room).collect(Collectors.toSet()))
                .isEqualTo(MAY_USE.keySet());
    }

    @Test
    void asksTheTimeAndWaitsAndMakesRandomNumbersThroughTheTimelineOnly() {
        assertThat(TimeRule.violations(JDBC.stream())).isEmpty();
    }

    @Test
    void hasNoPackageCycles() {
        slices().matching(ROOT + "(**)").should().beFreeOfCycles().check(JDBC);
    }

    private static String room(JavaClass type) {
        return type.getPackageName().substring(ROOT.length());
    }
}
