// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A method of a bean.
 *
 * @param owner the bean, as errors name it
 * @param beanClass the bean's own class rather than its proxy's, because type variables are resolved against it
 * @param layers the proxies in front of the bean
 */
record BeanMethod(String owner, Class<?> beanClass, ProxyLayers layers, Supplier<Object> bean, Method method) {

    String where() {
        return "%s.%s".formatted(owner, signature(method));
    }

    boolean has(Class<? extends Annotation> annotation) {
        return AnnotatedElementUtils.hasAnnotation(method, annotation);
    }

    /** The annotation, which the method must {@linkplain #has have}. */
    <A extends Annotation> A annotation(Class<A> annotation) {
        return Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, annotation));
    }

    Type parameterType(int index) {
        return GenericTypeResolver.resolveType(method.getGenericParameterTypes()[index], beanClass);
    }

    Type returnType() {
        return GenericTypeResolver.resolveType(method.getGenericReturnType(), beanClass);
    }

    /**
     * @throws ConfigurationException SB-1104 if the method cannot be called on its bean; SB-1113 if it would run on another
     *     thread
     */
    MethodInvoker invoker() {
        if (Modifier.isStatic(method.getModifiers())) {
            throw new ConfigurationException(
                    "SB-1104",
                    "A handler must not be static [handler=%s]: it is called on its bean.".formatted(where()),
                    "Remove `static`.");
        }
        Method invocable = layers.invocable(where(), method);
        HandlerAdvice.check(where(), beanClass, method, layers.adviceOn(method));
        return new MethodInvoker(bean, invocable);
    }

    static String signature(Method method) {
        StringBuilder text = new StringBuilder(method.getName()).append('(');
        for (Class<?> type : method.getParameterTypes()) {
            text.append(text.charAt(text.length() - 1) == '(' ? "" : ", ").append(type.getSimpleName());
        }
        return text.append(')').toString();
    }
}
