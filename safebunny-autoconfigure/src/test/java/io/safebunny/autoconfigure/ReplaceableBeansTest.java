// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.validation.Validator;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.vault.core.VaultOperations;

/**
 * Every bean that claims to be replaceable is: each {@code @ConditionalOnMissingBean} of our auto-configurations, found by
 * reflection, backs off from a bean of the application. Only definitions are looked at, so nothing starts.
 */
class ReplaceableBeansTest {

    private static final String MINE = "mine";

    /** Applications in which, together, each of these beans exists. */
    private static final List<Consumer<AnnotationConfigApplicationContext>> APPLICATIONS = List.of(
            application(List.of(Validator.class), "safebunny.transport=memory", "safebunny.store.type=memory"),
            application(List.of(), "management.endpoints.web.exposure.include=*"),
            application(List.of(), "safebunny.store.type=cosmos"),
            application(List.of(), "safebunny.encryption.keystore.location=keys.p12"),
            application(List.of(VaultOperations.class)),
            application(List.of(), "safebunny.claim-check.files.location=target/bodies"),
            application(List.of(), "safebunny.store.type=jdbc"),
            application(
                    List.of(DataSource.class, PlatformTransactionManager.class),
                    "safebunny.claim-check.jdbc.enabled=true"),
            application(List.of(DataSource.class, SmartDataSource.class, PlatformTransactionManager.class)),
            starterOnly("safebunny.store.type=jdbc"));

    private static Consumer<AnnotationConfigApplicationContext> application(
            List<Class<?>> beans, String... properties) {
        return context -> {
            TestPropertyValues.of(properties).applyTo(context);
            beans.forEach(type -> context.registerBeanDefinition(type.getSimpleName(), new RootBeanDefinition(type)));
            context.register(Configurations.getClasses(
                    AutoConfigurations.of(Nodes.autoConfigurations().toArray(Class<?>[]::new))));
        };
    }

    private static Consumer<AnnotationConfigApplicationContext> starterOnly(String... properties) {
        Class<?>[] starter = Nodes.autoConfigurations().stream()
                .filter(type -> type.getPackage() == Nodes.class.getPackage())
                .toArray(Class<?>[]::new);
        return context -> {
            TestPropertyValues.of(properties).applyTo(context);
            context.register(Configurations.getClasses(AutoConfigurations.of(starter)));
        };
    }

    /** @param beans names of the beans that exist only without a bean of this type, or of this name */
    private record Condition(
            String place, Class<?> type, @Nullable String name, List<String> beans) {}

    private static List<Condition> conditions() {
        List<Condition> conditions = new ArrayList<>();
        for (Class<?> configuration : Nodes.autoConfigurations()) {
            Stream.concat(Stream.of(configuration), Arrays.stream(configuration.getDeclaredClasses()))
                    .forEach(type -> addTo(conditions, type));
        }
        return conditions;
    }

    private static void addTo(List<Condition> conditions, Class<?> configuration) {
        List<Method> methods = Arrays.stream(configuration.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Bean.class))
                .toList();
        for (Method method : methods) {
            add(conditions, method, method.getReturnType(), List.of(method.getName()));
        }
        List<String> names = Stream.concat(
                        methods.stream(),
                        Arrays.stream(configuration.getDeclaredClasses())
                                .flatMap(nested -> Arrays.stream(nested.getDeclaredMethods()))
                                .filter(method -> method.isAnnotationPresent(Bean.class)))
                .map(Method::getName)
                .toList();
        add(conditions, configuration, Object.class, names);
    }

    private static void add(List<Condition> conditions, AnnotatedElement place, Class<?> fallback, List<String> beans) {
        MergedAnnotation<ConditionalOnMissingBean> condition =
                MergedAnnotations.from(place).get(ConditionalOnMissingBean.class);
        if (!condition.isPresent()) {
            return;
        }
        for (String name : condition.getStringArray("name")) {
            conditions.add(new Condition(place + " " + name, fallback, name, beans));
        }
        Class<?>[] types = condition.getClassArray("value");
        if (types.length == 0 && condition.getStringArray("name").length == 0) {
            types = new Class<?>[] {fallback};
        }
        for (Class<?> type : types) {
            conditions.add(new Condition(place + " " + type.getSimpleName(), type, null, beans));
        }
    }

    private static List<String> definitions(
            Consumer<AnnotationConfigApplicationContext> application, @Nullable Condition replaced) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            if (replaced != null) {
                context.registerBeanDefinition(
                        replaced.name() == null ? MINE : replaced.name(), new RootBeanDefinition(replaced.type()));
            }
            application.accept(context);
            context.refreshForAotProcessing(new RuntimeHints());
            // by the method that makes it, because a bean of the application may have its name
            return Arrays.stream(context.getBeanDefinitionNames())
                    .filter(name -> context.getBeanDefinition(name).getFactoryMethodName() != null)
                    .toList();
        }
    }

    @TestFactory
    Stream<DynamicTest> backsOffFromTheApplications() {
        return conditions().stream()
                .map(condition -> DynamicTest.dynamicTest(condition.place(), () -> {
                    List<Consumer<AnnotationConfigApplicationContext>> having = APPLICATIONS.stream()
                            .filter(application ->
                                    definitions(application, null).stream().anyMatch(condition.beans()::contains))
                            .toList();
                    assertThat(having).as("applications that have it").isNotEmpty();
                    assertThat(having).allSatisfy(application -> assertThat(definitions(application, condition))
                            .doesNotContainAnyElementsOf(condition.beans()));
                }));
    }

    @Test
    void thereAreMany() {
        assertThat(conditions())
                .flatExtracting(Condition::beans)
                .contains("safebunnyEndpoint", "safebunnypoisonEndpoint", "safebunnystoryEndpoint", "safeBunnyStory");
        assertThat(conditions()).hasSizeGreaterThan(25);
        assertThat(ClassUtils.isPresent("io.safebunny.jdbc.store.JdbcMessageStore", null))
                .isTrue();
    }
}
