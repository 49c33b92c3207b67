// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The one rule of its contract that a broken implementation fails, or several where no fault of this kind can spare any of them. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface Breaks {

    String[] value();
}
