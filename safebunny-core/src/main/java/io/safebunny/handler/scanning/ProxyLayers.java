// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.objenesis.SpringObjenesis;
import org.springframework.util.ClassUtils;

/** The proxies around a bean, from the outside to the bean itself, which is the last element. For use at start-up. */
final class ProxyLayers {

    private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

    private final Class<?> type;
    private final List<Object> layers;

    private ProxyLayers(Class<?> type, List<Object> layers) {
        this.type = type;
        this.layers = layers;
    }

    /** @param type the bean's own class */
    static ProxyLayers of(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
        List<Object> layers = new ArrayList<>();
        Object layer = outermost(beans, name, type);
        while (layer != null) {
            layers.add(layer);
            layer = next(beans, layer, type);
        }
        return new ProxyLayers(type, List.copyOf(layers));
    }

    private static @Nullable Object outermost(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
        return beans.isSingleton(name) ? beans.getBean(name) : specimen(beans, name, type);
    }

    /**
     * Shows how Spring will proxy a bean that has no instance yet, because its scope is not singleton: an object of its class,
     * created without its constructor, is passed to the post-processors that create proxies, and to no others. It is never called.
     *
     * @return {@code null} if it cannot be created, because the class is abstract or the runtime does not support it, as in a native
     *     image
     */
    private static @Nullable Object specimen(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers())
                || !OBJENESIS.isWorthTrying()
                || !(beans instanceof AbstractBeanFactory factory)) {
            return null;
        }
        Object specimen;
        try {
            specimen = OBJENESIS.newInstance(type, false);
        } catch (RuntimeException e) {
            return null;
        }
        for (BeanPostProcessor processor : factory.getBeanPostProcessors()) {
            if (processor instanceof ProxyProcessorSupport) {
                Object proxy = processor.postProcessAfterInitialization(specimen, name);
                specimen = proxy == null ? specimen : proxy;
            }
        }
        return specimen;
    }

    private static @Nullable Object next(ConfigurableListableBeanFactory beans, Object layer, Class<?> type) {
        if (!(layer instanceof Advised advised)) {
            return null;
        }
        TargetSource target = advised.getTargetSource();
        if (target instanceof AbstractBeanFactoryBasedTargetSource named) {
            return outermost(beans, named.getTargetBeanName(), type);
        }
        try {
            return target.isStatic() ? target.getTarget() : null;
        } catch (Exception e) {
            throw new MisuseException(
                    MisuseException.BROKEN_RULE,
                    "A proxy does not show its target [class=%s]. A static TargetSource must return it."
                            .formatted(target.getClass().getName()),
                    e);
        }
    }

    /** The class of the object that callers see, which may be a proxy. */
    Class<?> exposedClass() {
        return layers.isEmpty() ? type : layers.get(0).getClass();
    }

    /**
     * The method to call on the exposed object.
     *
     * @throws ConfigurationException SB-1104 if a call would not reach the bean
     */
    Method invocable(String where, Method method) {
        Method invocable = invocable(where, method, exposedClass());
        for (Object layer : layers) {
            if (AopUtils.isCglibProxy(layer)
                    && !isOverridden(invocable(where, method, layer.getClass()), layer.getClass())) {
                throw new ConfigurationException(
                        "SB-1104",
                        "The proxy of a bean cannot pass a call on to its method [handler=%s, proxy=%s]: %s. It would run on the proxy itself, whose fields are empty."
                                .formatted(where, layer.getClass().getName(), whyNotOverridden(method)),
                        Modifier.isFinal(method.getModifiers())
                                ? "Remove `final` (in Kotlin: declare it `open`, or use the compiler plugin kotlin-spring); or remove what makes Spring proxy the bean."
                                : "Make the method protected or public, or move it to the bean's own class; or remove what makes Spring proxy the bean.");
            }
        }
        return invocable;
    }

    private static Method invocable(String where, Method method, Class<?> exposed) {
        try {
            return AopUtils.selectInvocableMethod(method, exposed);
        } catch (IllegalStateException e) {
            throw new ConfigurationException(
                    "SB-1104",
                    "A handler must be callable through the proxy of its bean [handler=%s, proxy=%s]."
                            .formatted(where, exposed.getName()),
                    "Make the method non-private, and proxy the class (proxyTargetClass = true) rather than its interfaces.",
                    e);
        }
    }

    private static String whyNotOverridden(Method method) {
        return Modifier.isFinal(method.getModifiers())
                ? "it is final"
                : "it is package-private, and declared by %s, in another package or by another class loader"
                        .formatted(method.getDeclaringClass().getName());
    }

    /** CGLIB declares in the proxy what it can override; inherited methods never reach the target. */
    private static boolean isOverridden(Method method, Class<?> proxy) {
        Class<?> userClass = ClassUtils.getUserClass(proxy);
        for (Class<?> declaring = proxy;
                declaring != null && declaring != userClass;
                declaring = declaring.getSuperclass()) {
            for (Method declared : declaring.getDeclaredMethods()) {
                if (declared.getName().equals(method.getName())
                        && Arrays.equals(declared.getParameterTypes(), method.getParameterTypes())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Advice that the proxies apply to the method, outermost first. */
    List<Advice> adviceOn(Method method) {
        return layers.stream()
                .filter(Advised.class::isInstance)
                .map(Advised.class::cast)
                .flatMap(proxy -> Stream.of(proxy.getAdvisors())
                        .filter(advisor -> applies(advisor, proxy, method))
                        .map(Advisor::getAdvice))
                .toList();
    }

    /** Checks the method of the class and that of the proxy, because either may have the annotation. */
    private boolean applies(Advisor advisor, Advised proxy, Method method) {
        if (advisor instanceof IntroductionAdvisor introduction) {
            return introduction.getClassFilter().matches(type);
        }
        if (!(advisor instanceof PointcutAdvisor withPointcut)) {
            return true;
        }
        Pointcut pointcut = withPointcut.getPointcut();
        return (proxy.isPreFiltered() || pointcut.getClassFilter().matches(type))
                && (pointcut.getMethodMatcher().matches(method, type)
                        || pointcut.getMethodMatcher()
                                .matches(AopUtils.selectInvocableMethod(method, proxy.getClass()), type));
    }
}
