// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.aot;

import io.safebunny.BunnyHandler;
import io.safebunny.OnExpired;
import io.safebunny.Upcast;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnShredded;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.Upgrade;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Registers the methods of handlers, sagas and payloads, which are called by reflection, and the payloads and states that they take and return, which
 * are read from JSON. Types that an application only publishes are not covered.
 */
final class HandlerHints implements BeanRegistrationAotProcessor {

    private static final Set<Class<? extends Annotation>> CALLED = Set.of(
            BunnyHandler.class, OnExpired.class, OnTimeout.class, OnPoisoned.class, OnShredded.class, Upgrade.class);

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        List<Method> methods = MethodIntrospector.selectMethods(type, HandlerHints::isCalled).stream()
                .toList();
        return methods.isEmpty() ? null : new Contribution(methods);
    }

    private static boolean isCalled(Method method) {
        return CALLED.stream().anyMatch(annotation -> AnnotatedElementUtils.hasAnnotation(method, annotation));
    }

    private record Contribution(List<Method> methods) implements BeanRegistrationAotContribution {

        @Override
        public void applyTo(GenerationContext generation, BeanRegistrationCode code) {
            ReflectionHints hints = generation.getRuntimeHints().reflection();
            BindingReflectionHintsRegistrar json = new BindingReflectionHintsRegistrar();
            for (Method method : methods) {
                hints.registerMethod(method, ExecutableMode.INVOKE);
                json.registerReflectionHints(hints, types(method));
                Stream.of(types(method)).forEach(type -> registerUpcasters(hints, type));
            }
        }

        /** What the method takes and returns, if it is the application's. */
        private static Type[] types(Method method) {
            return Stream.concat(
                            Arrays.stream(method.getGenericParameterTypes()), Stream.of(method.getGenericReturnType()))
                    .flatMap(Contribution::withElements)
                    .filter(Contribution::isOfTheApplication)
                    .toArray(Type[]::new);
        }

        private static void registerUpcasters(ReflectionHints hints, Type type) {
            Class<?> payload = ResolvableType.forType(type).resolve(Object.class);
            Arrays.stream(payload.getDeclaredMethods())
                    .filter(method -> method.isAnnotationPresent(Upcast.class))
                    .forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
        }

        /** Of a batch, the payloads. */
        private static Stream<Type> withElements(Type type) {
            return type instanceof ParameterizedType list && list.getRawType() == List.class
                    ? Arrays.stream(list.getActualTypeArguments())
                    : Stream.of(type);
        }

        private static boolean isOfTheApplication(Type type) {
            String name = type.getTypeName();
            return type != void.class
                    && !name.startsWith("java.")
                    && !name.startsWith("io.safebunny.saga.")
                    && !name.equals("io.safebunny.MessageContext");
        }
    }
}
