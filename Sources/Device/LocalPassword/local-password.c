// Gives the account of whoever starts this a new password on this computer. It runs as root (set-user-ID), and does nothing else:
// docs/decisions/0067-the-password-of-this-computer.md.
//
// It reads the current and the new password from standard input, each ended by a zero byte. The outcome is its exit status, and
// standard error says why in one line. PAM decides: it checks the current password, and then changes it as it would for the account's
// owner, by the service of this program's name. Where both passwords are the same, it only checks.
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVICE "lanyard-local-password"

// The extension knows these numbers.
enum outcome { changed = 0, failed = 1, misused = 2, not_allowed = 3, not_local = 4, wrong_password = 5, refused = 6 };

enum { password_bytes_max = PAM_MAX_RESP_SIZE - 1, input_bytes_max = 2 * PAM_MAX_RESP_SIZE };

struct talk {
    const char *current, *new;
    bool is_changing;
    // How many passwords were asked for since the change began. The first question is for the current one.
    unsigned questions;
    // What a module has said last; errors come before all else.
    char words[256];
    bool is_error;
};

static enum outcome end(enum outcome outcome, const char *reason)
{
    fprintf(stderr, "%s\n", reason);
    return outcome;
}

// Whoever starts a program that runs as root chooses its environment, limits, signals and open files.
static void shake_off_the_caller(void)
{
    clearenv();
    (void)!chdir("/");
    umask(S_IRWXG | S_IRWXO);
    closefrom(STDERR_FILENO + 1);
    alarm(0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    // It must not end in the middle of the change.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    const struct rlimit none = { 0, 0 }, unlimited = { RLIM_INFINITY, RLIM_INFINITY };
    setrlimit(RLIMIT_CORE, &none);
    // A file that is cut off would be one of passwords.
    setrlimit(RLIMIT_FSIZE, &unlimited);
    setrlimit(RLIMIT_CPU, &unlimited);
    setrlimit(RLIMIT_AS, &unlimited);
    setrlimit(RLIMIT_DATA, &unlimited);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    // Passwords do not get into swap space. Where the system does not allow that, they may.
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
}

// Finds the one account in the computer's own file that has the number. Accounts of a domain are not in it.
static bool find_local_account(uid_t user, char *name, size_t size)
{
    FILE *file = fopen("/etc/passwd", "re");
    if (!file)
        return false;
    int count = 0;
    for (const struct passwd *entry; (entry = fgetpwent(file));)
        if (entry->pw_uid == user) {
            const int length = snprintf(name, size, "%s", entry->pw_name);
            count += length > 0 && (size_t)length < size ? 1 : 2;
        }
    fclose(file);
    // Two names of one number are two passwords.
    return count == 1;
}

// - Returns: whether there were exactly two passwords.
static bool read_passwords(char *input, struct talk *talk)
{
    size_t length = 0;
    for (;;) {
        // One byte more than there may be, which is refused below.
        const ssize_t count = read(STDIN_FILENO, input + length, input_bytes_max + 1 - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            break;
        length += (size_t)count;
    }
    const char *first_end = memchr(input, 0, length);
    if (!first_end)
        return false;
    const size_t first = (size_t)(first_end - input) + 1;
    const char *second_end = memchr(input + first, 0, length - first);
    if (!second_end || second_end != input + length - 1)
        return false;
    talk->current = input;
    talk->new = input + first;
    const size_t second = (size_t)(second_end - talk->new);
    return first > 1 && first - 1 <= password_bytes_max && second > 0 && second <= password_bytes_max;
}

static int answer(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
    struct talk *talk = data;
    if (count <= 0 || count > PAM_MAX_NUM_MSG)
        return PAM_CONV_ERR;
    struct pam_response *answers = calloc((size_t)count, sizeof *answers);
    if (!answers)
        return PAM_BUF_ERR;
    for (int number = 0; number < count; number++) {
        const int style = messages[number]->msg_style;
        if (style == PAM_PROMPT_ECHO_OFF) {
            const bool is_current = !talk->is_changing || talk->questions++ == 0;
            answers[number].resp = strdup(is_current ? talk->current : talk->new);
        } else if ((style == PAM_ERROR_MSG || style == PAM_TEXT_INFO) && messages[number]->msg) {
            if (style == PAM_ERROR_MSG || !talk->is_error)
                snprintf(talk->words, sizeof talk->words, "%s", messages[number]->msg);
            talk->is_error |= style == PAM_ERROR_MSG;
            continue;
        }
        if (answers[number].resp)
            continue;
        // It asks for something that is no password, or there is no memory.
        for (int given = 0; given < number; given++)
            if (answers[given].resp) {
                explicit_bzero(answers[given].resp, strlen(answers[given].resp));
                free(answers[given].resp);
            }
        free(answers);
        return PAM_CONV_ERR;
    }
    // The library overwrites and frees them.
    *responses = answers;
    return PAM_SUCCESS;
}

static enum outcome change(pam_handle_t *pam, struct talk *talk, const char *name)
{
    int status = pam_authenticate(pam, PAM_DISALLOW_NULL_AUTHTOK);
    if (status == PAM_AUTH_ERR || status == PAM_MAXTRIES)
        return end(wrong_password, "this is not the account's current password");
    if (status != PAM_SUCCESS)
        return end(failed, talk->words[0] ? talk->words : pam_strerror(pam, status));
    const void *user = NULL;
    if (pam_get_item(pam, PAM_USER, &user) != PAM_SUCCESS || !user || strcmp(user, name) != 0)
        return end(failed, "PAM has put another account in the place of this one");
    if (strcmp(talk->current, talk->new) == 0)
        return changed;
    talk->is_changing = true;
    talk->words[0] = 0;
    talk->is_error = false;
    status = pam_chauthtok(pam, 0);
    // With one question or none the new password was not asked for.
    if (status == PAM_SUCCESS && talk->questions > 1)
        return changed;
    if (status == PAM_SUCCESS)
        return end(failed, "PAM has not asked for the new password; look at its service " SERVICE);
    const bool is_refusal = status == PAM_AUTHTOK_ERR || status == PAM_TRY_AGAIN || status == PAM_PERM_DENIED;
    return end(is_refusal ? refused : failed, talk->words[0] ? talk->words : pam_strerror(pam, status));
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count != 1)
        return end(misused, "it takes no arguments, for everybody can read those of a process");
    const uid_t user = getuid();
    if (user == 0)
        return end(misused, "it does not change the password of root; use passwd");
    if (geteuid() != 0)
        return end(not_allowed, "the administrator has not allowed it: it does not run as root (chmod u+s)");
    shake_off_the_caller();

    char name[256];
    if (!find_local_account(user, name, sizeof name))
        return end(not_local, "the account is not one of this computer's own: /etc/passwd does not have it, or has its number twice");
    // Without a service of its own PAM would take the one for all others, which may ask a domain.
    if (access("/etc/pam.d/" SERVICE, R_OK) != 0 && access("/usr/lib/pam.d/" SERVICE, R_OK) != 0)
        return end(failed, "/etc/pam.d/" SERVICE " is missing");

    static char input[input_bytes_max + 1];
    struct talk talk = { 0 };
    enum outcome outcome = misused;
    if (read_passwords(input, &talk)) {
        const struct pam_conv conversation = { answer, &talk };
        pam_handle_t *pam = NULL;
        const int status = pam_start(SERVICE, name, &conversation, &pam);
        outcome = status == PAM_SUCCESS ? change(pam, &talk, name) : end(failed, "PAM does not begin");
        if (pam)
            pam_end(pam, status);
    } else
        end(misused, "standard input is not two passwords, each of 1 to 511 bytes and ended by a zero");
    explicit_bzero(input, sizeof input);
    return outcome;
}
