// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method of a {@link BunnySaga} that runs when a timeout set with {@link SagaContext#timeout} expires. It takes no payload. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnTimeout {

    /** Name of the timeout. */
    String value();
}
