// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** A bean that may have handler or saga methods. For use at start-up. */
final class ScannedBean {

    private static final Logger LOG = LoggerFactory.getLogger(ScannedBean.class);

    private final ConfigurableListableBeanFactory beans;
    private final String name;
    private final Class<?> type;

    private ScannedBean(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
        this.beans = beans;
        this.name = name;
        this.type = type;
    }

    /** Passes each bean to the scanner once, even if it is behind a scoped proxy. */
    static void forEach(ConfigurableListableBeanFactory beans, Consumer<ScannedBean> scanner) {
        for (String name : beans.getBeanDefinitionNames()) {
            scan(beans, name, scanner);
        }
        for (String name : beans.getSingletonNames()) {
            if (!beans.containsBeanDefinition(name)) {
                scan(beans, name, scanner);
            }
        }
    }

    private static void scan(ConfigurableListableBeanFactory beans, String name, Consumer<ScannedBean> scanner) {
        if (ScopedProxyUtils.isScopedTarget(name)) {
            return;
        }
        Class<?> type = targetClass(beans, name);
        if (type != null) {
            scanner.accept(new ScannedBean(beans, name, type));
        }
    }

    private static @Nullable Class<?> targetClass(ConfigurableListableBeanFactory beans, String name) {
        if (beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name).isAbstract()) {
            return null;
        }
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type != null && ScopedObject.class.isAssignableFrom(type)) {
            Class<?> scoped = AutoProxyUtils.determineTargetClass(beans, ScopedProxyUtils.getTargetBeanName(name));
            return scoped != null ? scoped : type;
        }
        if (type != null && Proxy.isProxyClass(type) && beans.isSingleton(name)) {
            // created by a factory bean, so its target class is not registered
            return AopProxyUtils.ultimateTargetClass(beans.getBean(name));
        }
        return type;
    }

    String name() {
        return name;
    }

    /** The bean's own class rather than its proxy's. */
    Class<?> type() {
        return type;
    }

    boolean isSingleton() {
        return beans.isSingleton(name) && !beans.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name));
    }

    <A extends Annotation> @Nullable A annotation(Class<A> annotation) {
        return AnnotatedElementUtils.findMergedAnnotation(type, annotation);
    }

    /** The lookup's results by method; it returns {@code null} for methods to be skipped. */
    <T> Map<Method, T> methods(
            Set<Class<? extends Annotation>> annotations, MethodIntrospector.MetadataLookup<T> lookup) {
        if (!AnnotationUtils.isCandidateClass(type, annotations)) {
            return Map.of();
        }
        try {
            return MethodIntrospector.selectMethods(type, lookup);
        } catch (LinkageError e) {
            // a signature names an absent optional class, so the bean has no usable handler
            LOG.debug("Cannot look for handlers in bean '{}' of {}", name, type, e);
            return Map.of();
        }
    }

    /** @param owner name of the bean in errors */
    BeanMethod method(String owner, Method method) {
        return new BeanMethod(owner, type, ProxyLayers.of(beans, name, type), supplier(), method);
    }

    /** Looks a singleton up once, and a bean of any other scope for every call. */
    private Supplier<Object> supplier() {
        if (beans.isSingleton(name)) {
            Object bean = beans.getBean(name);
            return () -> bean;
        }
        return () -> beans.getBean(name);
    }
}
