// SPDX-License-Identifier: Apache-2.0
/** Large bodies in a database. */
@NullMarked
package io.safebunny.jdbc.bodies;

import org.jspecify.annotations.NullMarked;
