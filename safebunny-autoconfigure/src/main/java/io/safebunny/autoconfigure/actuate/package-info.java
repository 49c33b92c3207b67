// SPDX-License-Identifier: Apache-2.0
/** Spring Boot actuator endpoints that show the node and pass operations on to it. They decide nothing themselves. */
@NullMarked
package io.safebunny.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
