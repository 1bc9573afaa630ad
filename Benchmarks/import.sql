-- Imports the same files, with the keys and indexes that their records have in Lanyard, and the same durability.
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE location (location_id TEXT PRIMARY KEY, location_name TEXT);
CREATE TABLE student (
    person_id TEXT PRIMARY KEY, location_id TEXT, first_name TEXT, last_name TEXT, middle_name TEXT, person_number TEXT,
    grade_level TEXT, email_address TEXT, sis_username TEXT, password_policy TEXT
);
CREATE UNIQUE INDEX student_user_name ON student (sis_username);
CREATE TABLE staff (
    person_id TEXT PRIMARY KEY, person_number TEXT, first_name TEXT, middle_name TEXT, last_name TEXT, email_address TEXT,
    sis_username TEXT, location_id TEXT
);
CREATE UNIQUE INDEX staff_user_name ON staff (sis_username);
CREATE TABLE course (course_id TEXT PRIMARY KEY, course_number TEXT, course_name TEXT, location_id TEXT);
CREATE INDEX course_location ON course (location_id);
CREATE TABLE class (
    class_id TEXT PRIMARY KEY, class_number TEXT, course_id TEXT, instructor_id TEXT, instructor_id_2 TEXT,
    instructor_id_3 TEXT, location_id TEXT
);
CREATE INDEX class_course ON class (course_id);
CREATE INDEX class_location ON class (location_id);
CREATE TABLE roster (roster_id TEXT UNIQUE, class_id TEXT, student_id TEXT, PRIMARY KEY (class_id, student_id));
CREATE INDEX roster_student ON roster (student_id);
.mode csv
