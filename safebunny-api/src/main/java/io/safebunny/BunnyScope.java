// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;

/**
 * One instance of the bean per message: created on first use, shared by middlewares, handler and nested publishes, destroyed when
 * the message is done. In-memory retries keep the instance.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Scope(BunnyScope.NAME)
public @interface BunnyScope {

    /** Name of the scope, for {@code @Scope("bunny")}. */
    String NAME = "bunny";

    /** How the bean is injected into longer-lived ones. */
    @AliasFor(annotation = Scope.class)
    ScopedProxyMode proxyMode() default ScopedProxyMode.TARGET_CLASS;
}
