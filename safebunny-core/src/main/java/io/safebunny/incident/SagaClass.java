// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.Bunny;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;

/**
 * A saga's class, as a test in its package can use it.
 *
 * @param home its package
 * @param construction what a {@code SagaScenario} is made of; {@code null} if it takes the application to make the saga
 */
record SagaClass(String home, @Nullable String construction) {

    /** Annotations of what Spring injects or calls, or of what the application's validator checks. */
    private static final Set<String> OF_APPLICATION =
            Set.of("Autowired", "Inject", "Resource", "Value", "PostConstruct", "Valid");

    /** @param name of the class; a native image need not know it */
    static SagaClass of(String name) {
        try {
            Class<?> type = ClassUtils.forName(name, null);
            return new SagaClass(type.getPackageName(), construction(type));
        } catch (ClassNotFoundException | LinkageError e) {
            return new SagaClass(ClassUtils.getPackageName(name), null);
        }
    }

    private static @Nullable String construction(Class<?> type) {
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        if (!isUsable(type)
                || constructors.length != 1
                || Modifier.isPrivate(constructors[0].getModifiers())
                || constructors[0].getExceptionTypes().length > 0
                || Modifier.isAbstract(type.getModifiers())
                || needsApplication(type)) {
            return null;
        }
        String name = type.getCanonicalName().substring(type.getPackageName().length() + 1);
        List<Class<?>> parameters = List.of(constructors[0].getParameterTypes());
        if (parameters.isEmpty()) {
            return "new %s()".formatted(name);
        }
        if (parameters.equals(List.of(Bunny.class))) {
            return "bunny -> new %s(bunny)".formatted(name);
        }
        return parameters.equals(List.of(Bunny.class, Clock.class))
                ? "(bunny, clock) -> new %s(bunny, clock)".formatted(name)
                : null;
    }

    private static boolean isUsable(Class<?> type) {
        if (type.getCanonicalName() == null || type.getPackageName().isEmpty()) {
            return false;
        }
        for (Class<?> one = type; one != null; one = one.getEnclosingClass()) {
            boolean isInner = one.getEnclosingClass() != null && !Modifier.isStatic(one.getModifiers());
            if (Modifier.isPrivate(one.getModifiers()) || isInner) {
                return false;
            }
        }
        return true;
    }

    private static boolean needsApplication(Class<?> type) {
        if (Aware.class.isAssignableFrom(type) || InitializingBean.class.isAssignableFrom(type)) {
            return true;
        }
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            List<AnnotatedElement> elements = new ArrayList<>(List.of(one.getDeclaredFields()));
            for (Method method : one.getDeclaredMethods()) {
                elements.add(method);
                elements.addAll(List.of(method.getParameters()));
            }
            boolean isAnnotated = elements.stream()
                    .flatMap(element -> Stream.of(element.getAnnotations()))
                    .anyMatch(annotation ->
                            OF_APPLICATION.contains(annotation.annotationType().getSimpleName()));
            if (isAnnotated) {
                return true;
            }
        }
        return false;
    }
}
