// SPDX-License-Identifier: Apache-2.0
/** The endpoints behind Spring MVC, where a request has a path, a query and a body. */
@NullMarked
package io.safebunny.proof.demo.actuator;

import org.jspecify.annotations.NullMarked;
