// SPDX-License-Identifier: Apache-2.0
/** Application contexts with a message store in a database. */
@NullMarked
package io.safebunny.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
